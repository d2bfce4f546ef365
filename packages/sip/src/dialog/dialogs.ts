import type { IncomingInvite, SipSource } from '../calls.ts';
import type { ReceivedRequest } from '../message/received.ts';
import type { ServerTransaction, Transactions } from '../transaction/transactions.ts';
import { peerKey } from '../transport/message-transport.ts';
import { dialogKey } from './dialog-state.ts';
import type { ReplacedDialog } from './replaces.ts';

/** The handler of the requests within a dialog. */
export interface DialogParty {
  /** Source or destination of the dialog's first message. */
  readonly peer: SipSource;
  /** Called for each new request other than ACK and CANCEL. */
  request(received: ReceivedRequest): void;
  /** Called for the ACK of a 2xx. */
  acknowledged(received: ReceivedRequest): void;
  /** Offers an invitation that replaces this dialog. False if the dialog is not established or does not accept it. */
  replacedBy(invite: IncomingInvite): boolean;
  /** Hangs up an established call; rejects a pending one. */
  close(): Promise<void>;
}

/** Dialogs that are established or being established. */
export class Dialogs {
  readonly #parties = new Map<string, DialogParty>();

  /** Replaces the previous party. */
  set(key: string, party: DialogParty): void {
    this.#parties.set(key, party);
  }

  /** No effect if another party has replaced this one. */
  remove(key: string, party: DialogParty): void {
    if (this.#parties.get(key) === party) this.#parties.delete(key);
  }

  find({ envelope: { callId, toTag, fromTag } }: ReceivedRequest): DialogParty | undefined {
    return toTag === null ? undefined : this.#parties.get(dialogKey(callId, toTag, fromTag));
  }

  /** The party of the dialog that an INVITE replaces. */
  replaced({ callId, localTag, remoteTag }: ReplacedDialog): DialogParty | undefined {
    return this.#parties.get(dialogKey(callId, localTag, remoteTag));
  }

  uses(peer: SipSource): boolean {
    const key = peerKey(peer);
    return this.#parties.values().some((party) => peerKey(party.peer) === key);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#parties.values()].map((party) => party.close()));
  }
}

/**
 * Opens the server transaction of an in-dialog request. A re-INVITE is answered immediately, so a CANCEL of it has no
 * effect.
 */
export function serveWithin(
  { transactions }: { transactions: Transactions },
  received: ReceivedRequest,
): ServerTransaction {
  if (received.message.method !== 'INVITE') return transactions.serve(received);
  return transactions.serveInvite(received, { onFailure: () => undefined, onCancel: () => undefined });
}
