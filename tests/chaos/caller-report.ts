import type { CallPlan } from './call-plan.ts';

/** A connection that was lost during a call. */
export interface Break {
  /** Wall-clock time. */
  atMs: number;
  code: number;
  /** Time from the loss to the next join; null if there was none. */
  backAfterMs: number | null;
  /** Time from the loss to the next agent output. Null if there was none, or if the connection was lost before it. */
  agentAfterMs: number | null;
}

/** How a call ended, from the caller's view. */
export type CallerEnd =
  /** The server closed the connection with a reason. */
  | { kind: 'ended_by_server'; reason: string }
  | { kind: 'hung_up' }
  | { kind: 'vanished' }
  | { kind: 'never_joined' }
  /** The call had ended when the caller reconnected. */
  | { kind: 'over' }
  /** The caller could not reconnect in time. */
  | { kind: 'given_up' }
  /** The call could not be joined. */
  | { kind: 'not_let_in'; code: number }
  /** The call had not ended long after its planned end. */
  | { kind: 'endless' };

export interface CallerReport {
  callId: string;
  plan: CallPlan;
  end: CallerEnd;
  /** Wall-clock time of `end`. */
  endedMs: number;
  breaks: Break[];
  /** Texts of the caller. Each is sent once and is unique over all callers. */
  said: string[];
  /** Texts that the agent answered, with the wall-clock time of the response. */
  answered: { text: string; atMs: number }[];
  /** Whether a hang-up was requested over the API. It may have taken effect regardless of the response. */
  hangUpRequested: boolean;
}
