import { networkOf } from '@calls/foundation/address-network';
import type { Clock } from '@calls/foundation/clock';
import {
  challengeHeaders,
  readAuthorization,
  type DigestAuthorization,
} from '@calls/sip/digest/authorization';
import { Nonces } from '@calls/sip/digest/nonces';
import type { Admission, UnansweredInvite } from '@calls/sip/endpoint-options';
import { hostOf } from '../sip-address.ts';

/** A source with this many failures is blocked until the window ends. */
const MAX_FAILURES = 10;
const WINDOW_MS = 300_000;
const MAX_SOURCES = 5000;

/** What an INVITE presents. `stale`: credentials with a nonce that cannot be used now. */
export type PresentedCredentials =
  | { kind: 'none' }
  | { kind: 'stale' }
  | { kind: 'digest'; digest: DigestAuthorization };

/** Challenges of callers of this worker: nonces, and a limit on wrong credentials for each source. */
export class DigestGuard {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #nonces = new Nonces();
  /** In order of the first failure. */
  readonly #failures = new Map<string, { count: number; untilMs: number }>();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  /** The credentials of an INVITE. They can be used once. */
  presented({ headers, requestUri, to, source }: UnansweredInvite): PresentedCredentials {
    const domain = hostOf(requestUri)?.toLowerCase() ?? '';
    const digest = readAuthorization(headers, domain) ?? readAuthorization(headers, to.host);
    if (!digest) return { kind: 'none' };
    const isUsable = this.#nonces.use(digest.nonce, digest.nonceCount, source.address, this.#clock.nowMs());
    return isUsable ? { kind: 'digest', digest } : { kind: 'stale' };
  }

  challenge(realm: string, { address }: UnansweredInvite['source'], isStale: boolean): Admission {
    const nonce = this.#nonces.issue(address, this.#clock.nowMs());
    const headers = challengeHeaders(realm, nonce, isStale);
    return { kind: 'refused', status: 401, reason: 'Unauthorized', headers };
  }

  /** Whether the source has presented too many wrong credentials. */
  isBlocked({ address }: UnansweredInvite['source']): boolean {
    const failures = this.#failures.get(networkOf(address));
    return failures !== undefined && failures.count >= MAX_FAILURES && this.#clock.nowMs() < failures.untilMs;
  }

  /** Records wrong credentials. */
  failed({ address }: UnansweredInvite['source']): void {
    const source = networkOf(address);
    const nowMs = this.#clock.nowMs();
    const known = this.#failures.get(source);
    if (known && nowMs < known.untilMs) {
      known.count += 1;
      return;
    }
    this.#failures.delete(source);
    this.#failures.set(source, { count: 1, untilMs: nowMs + WINDOW_MS });
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size > MAX_SOURCES) this.#failures.delete(oldest);
  }
}
