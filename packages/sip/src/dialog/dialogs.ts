import type { SipSource } from '../calls.ts';
import type { ReceivedRequest } from '../message/received.ts';
import type { ServerTransaction, Transactions } from '../transaction/transactions.ts';
import { peerKey } from '../transport/wire.ts';
import { dialogKey } from './dialog-state.ts';

/** The handler of the requests within a dialog. */
export interface DialogParty {
  /** Where its first message came from, or went to. */
  readonly peer: SipSource;
  /** Any request but ACK and CANCEL, not seen before. */
  request(received: ReceivedRequest): void;
  /** The ACK of a 2xx. */
  acknowledged(received: ReceivedRequest): void;
  /** Hangs up, or refuses. */
  close(): Promise<void>;
}

/** The dialogs that stand or begin. */
export class Dialogs {
  readonly #parties = new Map<string, DialogParty>();

  /** In place of who had it before. */
  set(key: string, party: DialogParty): void {
    this.#parties.set(key, party);
  }

  /** Nothing where another has it now. */
  remove(key: string, party: DialogParty): void {
    if (this.#parties.get(key) === party) this.#parties.delete(key);
  }

  find({ envelope: { callId, toTag, fromTag } }: ReceivedRequest): DialogParty | undefined {
    return toTag === null ? undefined : this.#parties.get(dialogKey(callId, toTag, fromTag));
  }

  uses(peer: SipSource): boolean {
    const key = peerKey(peer);
    return this.#parties.values().some((party) => peerKey(party.peer) === key);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#parties.values()].map((party) => party.close()));
  }
}

/** Opens the server transaction of an in-dialog request. A re-INVITE is answered at once, so a CANCEL of it has no effect. */
export function serveWithin(
  { transactions }: { transactions: Transactions },
  received: ReceivedRequest,
): ServerTransaction {
  if (received.message.method !== 'INVITE') return transactions.serve(received);
  return transactions.serveInvite(received, { onFailure: () => undefined, onCancel: () => undefined });
}
