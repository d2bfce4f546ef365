import { randomSecret } from '@calls/foundation/ids';
import type { SipCredentials } from '../calls.ts';
import type { SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { digestAnswer } from './answer.ts';
import { challengesOf, type DigestChallenge } from './challenge.ts';

const MAX_STALE = 2;
/** Maximum number of realms that challenge one request. */
const MAX_REALMS = 8;

/** Answers the challenges to one request. Each proxy and the peer may challenge once. */
export class Authenticator {
  readonly #credentials: SipCredentials | null;
  readonly #known = new Map<string, { challenge: DigestChallenge; uses: number }>();
  #staleLeft = MAX_STALE;

  constructor(credentials: SipCredentials | null) {
    this.#credentials = credentials;
  }

  /**
   * Headers to repeat `request` with. Null if repeating is useless: no challenge can be answered, or an answer was
   * refused.
   */
  authorizationFor(response: SipResponse, request: SipRequest): SipHeaders | null {
    if ((response.status !== 401 && response.status !== 407) || !this.#credentials) return null;
    const challenges = challengesOf(response);
    if (challenges.length === 0) return null;
    for (const challenge of challenges) {
      const key = `${challenge.answerHeader} ${challenge.realm}`;
      if (this.#known.has(key)) {
        if (!challenge.isStale || this.#staleLeft === 0) return null;
        this.#staleLeft -= 1;
      }
      this.#known.set(key, { challenge, uses: 0 });
    }
    if (this.#known.size > MAX_REALMS) return null;
    return this.#headers(this.#credentials, request);
  }

  #headers(credentials: SipCredentials, { method, uri }: SipRequest): SipHeaders {
    return [...this.#known.values()].map((known) => {
      known.uses += 1;
      const cnonce = randomSecret(12);
      const request = { method, uri, nonceCount: known.uses, cnonce };
      return [known.challenge.answerHeader, digestAnswer(known.challenge, credentials, request)] as const;
    });
  }
}
