import { CallError } from '../call-error.ts';

const LIMIT_MS = 3000;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/u;

/**
 * Determines why a socket cannot be opened, because browsers do not report it. Create it before the socket is opened;
 * `close` ends it.
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

  /** Checks by HTTP whether the host responds. Abort it when the reason is no longer needed. */
  async why(signal: AbortSignal): Promise<CallError> {
    const { origin } = this.#url;
    if (this.#isBlocked) {
      return new CallError(
        'connection_blocked',
        `this page's Content-Security-Policy does not allow the connection: add ${origin} to its connect-src`,
      );
    }
    const responds = await isResponding(origin.replace(/^ws/u, 'http'), signal);
    // Safari opens no ws: URL from pages on https:, but does not throw as other browsers do.
    if (!responds && isMixedContent(this.#url)) return insecureUrlError();
    return new CallError(
      'connection_failed',
      responds
        ? `${origin} responds but does not open a WebSocket: probably a proxy in front of it does not forward upgrade requests`
        : `cannot connect to ${origin}, the host of the join URL`,
    );
  }

  close(): void {
    if ('document' in globalThis) document.removeEventListener('securitypolicyviolation', this.#onViolation);
  }
}

/** The browser does not allow a page on https: to open a ws: URL. */
export function insecureUrlError(cause?: unknown): CallError {
  return new CallError('connection_blocked', 'pages served over https: can only connect to wss: URLs', cause);
}

/** False for loopback addresses: most browsers allow them. */
function isMixedContent({ protocol, hostname }: URL): boolean {
  const isSecurePage = 'location' in globalThis && location.protocol === 'https:';
  return isSecurePage && protocol === 'ws:' && !LOOPBACK.test(hostname);
}

/** Whether the host responds, with any status. */
async function isResponding(origin: string, signal: AbortSignal): Promise<boolean> {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    await fetch(origin, { mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal: limited });
    return true;
  } catch {
    return false;
  }
}
