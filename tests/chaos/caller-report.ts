import type { CallPlan } from './call-plan.ts';

/** A connection that was lost in the middle of a call. */
export interface Break {
  /** Wall-clock time. */
  atMs: number;
  code: number;
  /** From the loss until the call was joined again; null: never. */
  backAfterMs: number | null;
  /** Time from the loss to the next agent output. Null: none, or the connection was lost before. */
  agentAfterMs: number | null;
}

/** How a call ended, as far as its caller could tell. */
export type CallerEnd =
  /** The server said so. */
  | { kind: 'told'; reason: string }
  | { kind: 'hung_up' }
  | { kind: 'vanished' }
  | { kind: 'never_joined' }
  /** When the caller came back, the call was over. */
  | { kind: 'over' }
  /** The caller could not come back in time. */
  | { kind: 'given_up' }
  /** It could never be joined. */
  | { kind: 'not_let_in'; code: number }
  /** Long after it should have ended. */
  | { kind: 'endless' };

export interface CallerReport {
  callId: string;
  plan: CallPlan;
  end: CallerEnd;
  /** Wall-clock time of `end`. */
  endedMs: number;
  breaks: Break[];
  /** What the caller said; each text is said once, and is no other's. */
  said: string[];
  /** Of it what the agent answered, with the wall-clock time of the answer. */
  answered: { text: string; atMs: number }[];
  /** The API was asked to hang up; it may have done so whatever it answered. */
  hangUpOrdered: boolean;
}
