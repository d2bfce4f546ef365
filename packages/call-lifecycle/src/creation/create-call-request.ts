import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { SipCodec } from '@calls/api-contract/rest/sip-trunk';
import type { Database } from '@calls/store/store';
import type { AccountTerms } from '@calls/store/tables/account-terms';

/** The agent of a call, in the revision that the call starts with. */
export interface CallAgent {
  agentId: string;
  revisionId: string | null;
  name: string;
}

/** An INVITE for which a call is created. */
export interface IncomingInvite {
  /** URIs. */
  to: string;
  from: string;
  /** The SIP trunk that it came through. */
  trunk?: { trunkId: string; codecs: readonly SipCodec[] } | undefined;
  /** Receives the message about the stored call. */
  handOver(created: CreatedCall): void;
}

/** Everything that a call is created from. */
export interface CreateCallRequest {
  account: { accountId: string } & AccountTerms;
  /** Id of the new call, a UUID; by default a new one. Throws a unique violation if the call exists. */
  callId?: string | undefined;
  /** Digest of the API request. A repeated request has the same. */
  requestDigest?: string | undefined;
  /** Already validated against its schema; CallCreator checks the other rules. */
  body: StartCallRequest;
  greetingPromptEnabled: boolean;
  /** Whether the body is a template: rules that need the settings of a call are skipped. */
  isTemplate?: boolean;
  agent?: CallAgent | undefined;
  /** Id of the call that provides the settings that the body does not set. */
  priorCallId?: string | undefined;
  /** Id or name of the call throttle that the call counts in. */
  throttle?: string | undefined;
  /** Origin of the call, as JSON. */
  requestContext?: unknown;
  scheduledBatchId?: string | undefined;
  /** The call is started in the console: it is free and uses no free time. */
  fromConsole?: boolean | undefined;
  /** The INVITE that the call answers: the message goes to its worker and is not published. */
  invite?: IncomingInvite | undefined;
  /** Runs at the end of the transaction that stores the call. If it throws, the call is not stored. */
  inTransaction?: ((tx: Database, callId: string) => Promise<void>) | undefined;
}
