import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { Database } from '@calls/store/store';
import type { KeyHolder } from '@calls/store/tables/api-keys';

/** The agent that a call is of, in the revision it starts with. */
export interface CallAgent {
  agentId: string;
  revisionId: string | null;
  name: string;
}

/** An INVITE that a call is created for. */
export interface IncomingInvite {
  /** A uuid: what the call's id will be. A unique violation is thrown where there is such a call. */
  callId: string;
  /** URIs. */
  to: string;
  from: string;
  /** Takes the message about the call, which is stored by then. */
  handOver(created: CreatedCall): void;
}

/** What a call is created from. */
export interface CreateCallRequest {
  account: Pick<KeyHolder, 'accountId' | 'plan' | 'features'>;
  /** Fits the schema of the request; the rules beyond it are checked by the creator. */
  body: StartCallRequest;
  greetingPromptEnabled: boolean;
  /** The request is what calls are made of: a call may have more, which a rule can ask for. */
  isTemplate?: boolean;
  agent?: CallAgent | undefined;
  /** A uuid. What the request doesn't name this call gives. */
  priorCallId?: string | undefined;
  /** Id or name of the call throttle that the call counts in. */
  throttle?: string | undefined;
  /** Where the call came from, as JSON. */
  requestContext?: unknown;
  scheduledBatchId?: string | undefined;
  /** A person begins it in the console: it is free, whatever free time the account has left. */
  fromConsole?: boolean | undefined;
  /** It answers an INVITE, and goes to the worker that has it: nothing is published. */
  invite?: IncomingInvite | undefined;
  /** Runs in the transaction that writes the call, last. What it throws is thrown, and there is no call. */
  inTransaction?: ((tx: Database, callId: string) => Promise<void>) | undefined;
}
