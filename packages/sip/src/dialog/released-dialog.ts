import type { CallContext } from '../call-context.ts';
import type { SipSource } from '../calls.ts';
import { responseTo } from '../message/build.ts';
import type { SipHeaders } from '../message/headers.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { TRANSACTION_LIMIT_MS } from '../transaction/machine.ts';
import { serveWithin, type DialogParty } from './dialogs.ts';

/**
 * A dialog that another endpoint continues. The peer may not know yet: until it does, its BYE is accepted and it has to
 * repeat other requests, which it then sends to that endpoint.
 */
export class ReleasedDialog implements DialogParty {
  readonly peer: SipSource;
  readonly #context: CallContext;

  constructor(context: CallContext, key: string, peer: SipSource) {
    this.#context = context;
    this.peer = peer;
    context.dialogs.set(key, this);
    context.clock.setTimer(TRANSACTION_LIMIT_MS, () => context.dialogs.remove(key, this));
  }

  request(received: ReceivedRequest): void {
    const { message } = received;
    const transaction = serveWithin(this.#context, received);
    const respond = (status: number, reason: string, headers: SipHeaders = []): void =>
      transaction.respond(responseTo(message, status, reason, { headers }));
    if (message.method === 'BYE') respond(200, 'OK');
    else if (message.method === 'INVITE') respond(491, 'Request Pending');
    else respond(500, 'Dialog Is Moving', [['Retry-After', '1']]);
  }

  acknowledged(): void {
    // Its INVITE was answered before.
  }

  replacedBy(): boolean {
    return false;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
