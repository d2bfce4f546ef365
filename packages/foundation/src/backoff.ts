const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Delay before the next attempt after `failures` consecutive failures (1 or more): doubles up to 30 s, then reduced to
 * between half and all of it by `random` (0 to 1), so that clients do not reconnect simultaneously.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return (fullMs * (1 + random)) / 2;
}
