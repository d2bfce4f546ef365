/**
 * RFC 3261, 17: T1 estimates the round trip, T2 is the longest repetition interval, T4 the longest time that a message
 * stays in the network.
 */
export const T1_MS = 500;
export const T2_MS = 4000;
export const T4_MS = 5000;
/** Timers B, F, H, J, L and M: end of the transaction. */
export const TRANSACTION_LIMIT_MS = 64 * T1_MS;
/** Timer D over UDP. */
export const FINAL_REPEATS_MS = 32_000;

/** `repeat`: timers A, E and G; `giveUp`: B, F and H; `forget`: D, I, J, K, L and M. */
export type TransactionTimer = 'repeat' | 'giveUp' | 'forget';

export type TransactionFailure = 'timeout' | 'transport';

/** Carried out in order. `end` stops all timers and is the last effect. */
export type MachineEffect =
  | { kind: 'startTimer'; timer: TransactionTimer; delayMs: number }
  | { kind: 'stopTimer'; timer: TransactionTimer }
  | { kind: 'fail'; cause: TransactionFailure }
  | { kind: 'end' };

export interface Step<State, Effect> {
  state: State;
  effects: readonly Effect[];
}

/** Events of all four machines other than messages. */
export type MachineEvent = { kind: 'timer'; timer: TransactionTimer } | { kind: 'transportFailed' };

export const END = { kind: 'end' } as const;

export function startTimer(timer: TransactionTimer, delayMs: number) {
  return { kind: 'startTimer', timer, delayMs } as const;
}

export function stopTimer(timer: TransactionTimer) {
  return { kind: 'stopTimer', timer } as const;
}

export function failure(cause: TransactionFailure) {
  return [{ kind: 'fail', cause }, END] as const;
}
