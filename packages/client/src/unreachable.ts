import { CallError } from './call-error.ts';

const LIMIT_MS = 3000;

/**
 * Why a socket can't be opened: browsers tell that to no page, so it is found out. Begins before the socket is opened; `close` ends
 * it.
 */
export class Unreachable {
  readonly #url: URL;
  #isBlocked = false;
  readonly #onViolation = ({
    disposition,
    effectiveDirective,
    blockedURI,
  }: SecurityPolicyViolationEvent): void => {
    // Some browsers report the whole URL, others only the scheme.
    if (disposition === 'enforce' && effectiveDirective === 'connect-src' && blockedURI.startsWith('ws'))
      this.#isBlocked = true;
  };

  constructor(url: string) {
    this.#url = new URL(url);
    if ('document' in globalThis) document.addEventListener('securitypolicyviolation', this.#onViolation);
  }

  /** Asks by HTTP whether anything is there. Aborting: it isn't worth knowing any more. */
  async why(signal: AbortSignal): Promise<CallError> {
    const { origin } = this.#url;
    if (this.#isBlocked) {
      return new CallError(
        'connection_blocked',
        `this page's Content-Security-Policy lets it connect to other places only: add ${origin} to its connect-src`,
      );
    }
    const isThere = await answers(origin.replace(/^ws/u, 'http'), signal);
    return new CallError(
      'connection_failed',
      isThere
        ? `${origin} answers, but opens no WebSocket: a proxy in front of it passes no upgrades on, most likely`
        : `no connection to ${origin}, where the join URL leads`,
    );
  }

  close(): void {
    if ('document' in globalThis) document.removeEventListener('securitypolicyviolation', this.#onViolation);
  }
}

/** Whatever it says. */
async function answers(origin: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    await fetch(origin, { mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal: limited });
    return true;
  } catch {
    return false;
  }
}
