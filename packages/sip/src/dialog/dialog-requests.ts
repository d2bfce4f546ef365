import type { CallContext } from '../call-context.ts';
import type { SipCredentials, SipSource } from '../calls.ts';
import { Authenticator } from '../digest/authenticator.ts';
import type { SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import type { ClientOwner } from '../transaction/transactions.ts';
import { requestWithin, type DialogState } from './dialog-state.ts';

interface DialogRequestsOptions {
  context: CallContext;
  credentials: SipCredentials | null;
  peer: SipSource;
  state(): DialogState;
  /** Takes the next number of ours. */
  nextCSeq(): number;
}

/** Our requests of a dialog. */
export class DialogRequests {
  readonly #options: DialogRequestsOptions;

  constructor(options: DialogRequestsOptions) {
    this.#options = options;
  }

  /** The final response; null where the peer couldn't be asked or doesn't answer. Challenges are answered. */
  async ask(method: string, headers: SipHeaders = []): Promise<SipResponse | null> {
    const authenticator = new Authenticator(this.#options.credentials);
    let answers: SipHeaders = [];
    for (;;) {
      const { state, nextCSeq } = this.#options;
      const { request, nextHop } = requestWithin(state(), method, nextCSeq(), {
        headers: [...headers, ...answers],
      });
      const response = await this.#askOnce(request, nextHop);
      const next = response && authenticator.answers(response, request);
      if (!next) return response;
      answers = next;
    }
  }

  /** Where requests of the dialog go: over TCP first on the connection that is there, as the peer may be behind a NAT. */
  async peers(nextHop: string): Promise<SipSource[]> {
    const { context, peer, state } = this.#options;
    const own = peer.transport === 'tcp' && state().routeSet.length === 0 ? [peer] : [];
    try {
      return [...own, ...(await context.peersOf(nextHop))];
    } catch {
      return own;
    }
  }

  async #askOnce(request: SipRequest, nextHop: string): Promise<SipResponse | null> {
    for (const peer of await this.peers(nextHop)) {
      const outcome = await this.#askPeer(request, peer);
      if (outcome !== 'transport') return outcome === 'timeout' ? null : outcome;
    }
    return null;
  }

  #askPeer(request: SipRequest, peer: SipSource): Promise<SipResponse | 'timeout' | 'transport'> {
    return new Promise((resolve) => {
      const owner: ClientOwner = {
        onResponse(response) {
          if (response.status >= 200) resolve(response);
        },
        onFailure: resolve,
      };
      try {
        this.#options.context.transactions.request(request, peer, owner);
      } catch {
        resolve('timeout');
      }
    });
  }
}
