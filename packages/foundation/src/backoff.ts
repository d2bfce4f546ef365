const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the next attempt, after `failures` of them in a row (1 or more): doubling up to 30 s, and of that
 * between a half and all, as `random` (0 to 1) says, so that those who failed together don't come back together.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return (fullMs * (1 + random)) / 2;
}
