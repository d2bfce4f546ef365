import type { PhoneLegRequestMessage } from '@calls/api-contract/bus/transfer-legs';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { MediaTransport } from './media-transport.ts';

/** A call to the person that a user is transferred to. */
export interface TransferLegRequest {
  /** The call of the user. */
  call: CallSpec;
  /** Id of this leg, unique across calls. */
  legId: string;
  /** A phone number or SIP URI. */
  target: string;
  /** The SIP trunk to call through; null: the trunk of the user's call, if it has one. */
  trunkId: string | null;
  /** The telephony provider to call through; null: a SIP trunk, or as the user was called. */
  provider: PhoneLegRequestMessage['provider'] | null;
  /** The caller ID that the person sees: a phone number or SIP URI; null: a default of the trunk or the user's call. */
  from: string | null;
  /** Time limit for the person's answer. */
  ringLimitMs: number;
}

/** Why a person was not reached. `refused`: the service or the provider did not place the call. */
export type LegFailure = 'busy' | 'declined' | 'no_answer' | 'unreachable' | 'refused';

export type LegOutcome =
  /** The receiver closes the transport. */
  { kind: 'answered'; transport: MediaTransport } | { kind: 'failed'; failure: LegFailure; detail: string };

/** Calls people on behalf of live calls. */
export interface TransferLegs {
  /**
   * Resolves once, soon after `ringLimitMs` at the latest. When `signal` aborts, the call is cancelled; if it is
   * answered at the same moment, the answer is still returned. Never rejects.
   */
  dial(request: TransferLegRequest, signal: AbortSignal): Promise<LegOutcome>;
}
