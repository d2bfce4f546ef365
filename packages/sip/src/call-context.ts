import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { SipSource, SipTransportName } from './calls.ts';
import type { Dialogs } from './dialog/dialogs.ts';
import type { SipHeaders } from './message/headers.ts';
import type { SipMessage } from './message/message.ts';
import type { Transactions } from './transaction/transactions.ts';

/** What every call of an endpoint works with. */
export interface CallContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly transactions: Transactions;
  readonly dialogs: Dialogs;
  /**
   * Where a request to that URI goes, the best first; rejects with a SipError where there is nowhere. The address of a `known`
   * peer, with which we speak already, may be called in any case. `owner`: who gave the URI, if it is not that peer.
   */
  peersOf(uri: string, from: { known?: SipSource; owner?: string | undefined }): Promise<SipSource[]>;
  /** Our Contact, as a header. */
  contact(transport: SipTransportName): SipHeaders;
  send(message: SipMessage, to: SipSource): Promise<void>;
}
