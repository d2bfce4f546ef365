import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { SipSource } from './calls.ts';
import type { Dialogs } from './dialog/dialogs.ts';
import type { SipHeaders } from './message/headers.ts';
import type { SipMessage } from './message/message.ts';
import type { Transactions } from './transaction/transactions.ts';

/** Shared dependencies of all calls of an endpoint. */
export interface CallContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly transactions: Transactions;
  readonly dialogs: Dialogs;
  /**
   * The addresses to send a request for the URI to, best first. Rejects with a SipError if there are none. The address
   * of a `known` peer may always be called. `owner`: who supplied the URI, if not that peer.
   */
  peersOf(uri: string, from: { known?: SipSource; owner?: string | undefined }): Promise<SipSource[]>;
  /** The Contact header for messages to this peer. `isSecure`: TLS is required on each hop (`sips:`). `user`: its user part, if any. */
  contact(peer: SipSource, isSecure: boolean, user?: string): SipHeaders;
  /** Session interval of outgoing calls; 0 for none. */
  readonly sessionExpiresS: number;
  send(message: SipMessage, to: SipSource): Promise<void>;
}
