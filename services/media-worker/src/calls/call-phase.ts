import type { EndReason } from '@calls/api-contract/rest/enums';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { SuspendedCall } from '@calls/conversation/session/call-outcome';
import type { CallSession } from '@calls/conversation/session/call-session';
import type { JoinDeadline } from './join-deadline.ts';

/** How a call leaves its worker. */
export type CallRelease =
  | { kind: 'ended'; reason: EndReason }
  /** Another worker may continue the call; `to`: the worker that has prepared to. */
  | { kind: 'handed_over'; to?: string }
  /** Another worker holds the lease. */
  | { kind: 'fenced' };

/** What a call does after its session has stopped without ending it. */
export type AfterSession =
  /** The call waits for its client to reconnect. */
  | { kind: 'wait' }
  /** The end of the call was requested while its session was stopping for a handover. */
  | { kind: 'end'; reason: EndReason }
  | (CallRelease & { kind: 'handed_over' });

export interface JoinedPhase {
  kind: 'joined';
  session: CallSession;
  transport: MediaTransport;
  joinedAtMs: number;
  then: AfterSession;
}

/** State of a call on this worker. */
export type Phase =
  /** Waits for its client. */
  | { kind: 'held'; deadline: JoinDeadline }
  | JoinedPhase
  /** Waits for its client to reconnect. */
  | { kind: 'suspended'; left: SuspendedCall; deadline: JoinDeadline }
  | { kind: 'finishing' }
  | { kind: 'over' };

/** Milliseconds since the first join; 0 while no client is or was connected. */
export function callTimeMs(phase: Phase, wallMs: number): number {
  if (phase.kind === 'joined') return Math.max(0, wallMs - phase.joinedAtMs);
  return phase.kind === 'suspended' ? Math.max(0, wallMs - phase.left.snapshot.joinedAtMs) : 0;
}
