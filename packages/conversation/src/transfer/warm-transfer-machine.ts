import type { WarmTransferParameters } from '@calls/api-contract/rest/warm-transfer';
import type { LegFailure } from '../ports/transfer-legs.ts';

/** How the person takes the call: by a key, by a key or words, or without being asked. */
export type Acceptance = WarmTransferParameters['acceptance'];

export interface WarmTransferSettings {
  ringMs: number;
  acceptance: Acceptance;
  /** How long the person may take to accept, after the briefing. */
  acceptMs: number;
  /** Limit of the conversation between user and person. */
  talkMs: number;
}

/** How a transfer ended. `not_accepted`: answered, but not accepted in time, for example by a voicemail. */
export type TransferOutcome =
  | LegFailure
  | 'not_accepted'
  /** The person hung up: before they were connected with the user (`abandoned`), or after (`person_left`). */
  | 'abandoned'
  | 'person_left'
  | 'talk_limit'
  /** The call of the user ended or moves to another worker. */
  | 'call_ended';

/** How a transfer ended; `detail` says why the person was not reached, if that is known. */
export interface TransferReport {
  outcome: TransferOutcome;
  talkedMs: number;
  detail: string | null;
}

/** Runs a transfer with the parameters of the built-in tool; a text if it cannot begin. */
export type RunWarmTransfer = (
  parameters: Readonly<Record<string, unknown>>,
) => Promise<TransferReport | string>;

export type WarmTransferState =
  | { kind: 'dialling' }
  /** The person hears what the call is about. */
  | { kind: 'briefing' }
  | { kind: 'deciding' }
  | { kind: 'connected'; sinceMs: number }
  | { kind: 'over'; outcome: TransferOutcome; talkedMs: number };

export type WarmTransferEvent =
  | { type: 'answered' }
  | { type: 'not_answered'; failure: LegFailure }
  /** The briefing was played to its end, or failed. */
  | { type: 'briefed'; failed: boolean }
  | { type: 'accepted' | 'declined' }
  | { type: 'timed_out' }
  | { type: 'person_left' }
  | { type: 'call_ended' };

/** `hang_up` also cancels a leg that still rings. */
export type WarmTransferEffect =
  | { type: 'dial' }
  | { type: 'brief' }
  | { type: 'connect' }
  | { type: 'hang_up' }
  /** Replaces the timer of the transfer, whose end is `timed_out`; null cancels it. */
  | { type: 'set_timer'; afterMs: number | null }
  | { type: 'finish'; outcome: TransferOutcome; talkedMs: number };

export interface WarmTransferStep {
  state: WarmTransferState;
  effects: readonly WarmTransferEffect[];
}

/** Legs report a missing answer themselves. This margin is for legs that report nothing. */
const RING_MARGIN_MS = 5000;
/** Longer than the longest briefing. */
export const BRIEFING_LIMIT_MS = 120_000;

export function beginTransfer({ ringMs }: WarmTransferSettings): WarmTransferStep {
  return {
    state: { kind: 'dialling' },
    effects: [{ type: 'dial' }, { type: 'set_timer', afterMs: ringMs + RING_MARGIN_MS }],
  };
}

/** Decides what follows an event at `nowMs`. Pure. Events that do not fit the state change nothing. */
export function stepTransfer(
  state: WarmTransferState,
  event: WarmTransferEvent,
  settings: WarmTransferSettings,
  nowMs: number,
): WarmTransferStep {
  if (state.kind === 'over') return stay(state);
  if (event.type === 'call_ended') return end(state, 'call_ended', nowMs);
  switch (state.kind) {
    case 'dialling':
      if (event.type === 'not_answered') return end(state, event.failure, nowMs);
      if (event.type === 'timed_out') return end(state, 'no_answer', nowMs);
      return event.type === 'answered'
        ? go({ kind: 'briefing' }, BRIEFING_LIMIT_MS, { type: 'brief' })
        : stay(state);
    case 'briefing':
    case 'deciding':
      return stepAnswered(state, event, settings, nowMs);
    case 'connected':
      if (event.type === 'person_left') return end(state, 'person_left', nowMs);
      return event.type === 'timed_out' ? end(state, 'talk_limit', nowMs) : stay(state);
  }
}

/** The person may accept or decline before the briefing is over. */
function stepAnswered(
  state: WarmTransferState & { kind: 'briefing' | 'deciding' },
  event: WarmTransferEvent,
  { acceptance, acceptMs, talkMs }: WarmTransferSettings,
  nowMs: number,
): WarmTransferStep {
  const connect = (): WarmTransferStep =>
    go({ kind: 'connected', sinceMs: nowMs }, talkMs, { type: 'connect' });
  switch (event.type) {
    case 'briefed':
      if (state.kind !== 'briefing') return stay(state);
      // Without a briefing, the person would not know that a user is waiting.
      if (event.failed) return end(state, 'unreachable', nowMs);
      return acceptance === 'automatic' ? connect() : go({ kind: 'deciding' }, acceptMs);
    case 'accepted':
      return connect();
    case 'declined':
      return end(state, 'declined', nowMs);
    case 'timed_out':
      return end(state, 'not_accepted', nowMs);
    case 'person_left':
      return end(state, 'abandoned', nowMs);
    default:
      return stay(state);
  }
}

function stay(state: WarmTransferState): WarmTransferStep {
  return { state, effects: [] };
}

function go(state: WarmTransferState, limitMs: number, ...effects: WarmTransferEffect[]): WarmTransferStep {
  return { state, effects: [{ type: 'set_timer', afterMs: limitMs }, ...effects] };
}

function end(state: WarmTransferState, outcome: TransferOutcome, nowMs: number): WarmTransferStep {
  const talkedMs = state.kind === 'connected' ? Math.max(0, Math.round(nowMs - state.sinceMs)) : 0;
  return {
    state: { kind: 'over', outcome, talkedMs },
    effects: [
      { type: 'set_timer', afterMs: null },
      { type: 'hang_up' },
      { type: 'finish', outcome, talkedMs },
    ],
  };
}
