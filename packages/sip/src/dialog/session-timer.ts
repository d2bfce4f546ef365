import type { Clock, Timer } from '@calls/foundation/clock';
import { hasToken, headerOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';

/** Shortest session interval (RFC 4028, 4). */
const MIN_SESSION_S = 90;
/** Longest session interval. */
const MAX_SESSION_S = 86_400;
export const MIN_SE: SipHeaders = [['Min-SE', String(MIN_SESSION_S)]];

/** An agreed session timer (RFC 4028): one side refreshes the session within the interval. */
export interface SessionInterval {
  intervalS: number;
  isLocalRefresher: boolean;
}

/** Whether to reject a request with 422, so that its sender asks for a longer session interval (RFC 4028, 9). */
export function isSessionTooShort(request: SipRequest): boolean {
  if (!hasToken(request, 'Supported', 'timer')) return false;
  return (readSessionExpires(request)?.intervalS ?? MIN_SESSION_S) < MIN_SESSION_S;
}

/** The session timer for the 2xx to a request; null if it asks for none. A peer without timers does not refresh. */
export function sessionOfRequest(request: SipRequest): SessionInterval | null {
  const requested = readSessionExpires(request);
  if (!requested) return null;
  const isSupported = hasToken(request, 'Supported', 'timer') || hasToken(request, 'Require', 'timer');
  return {
    intervalS: Math.min(Math.max(requested.intervalS, MIN_SESSION_S), MAX_SESSION_S),
    isLocalRefresher: !isSupported || requested.refresher === 'uas',
  };
}

/** The session timer that the 2xx to a local request sets; null if none. */
export function sessionOfResponse(response: SipResponse): SessionInterval | null {
  const agreed = readSessionExpires(response);
  if (!agreed) return null;
  const intervalS = Math.min(Math.max(agreed.intervalS, MIN_SESSION_S), MAX_SESSION_S);
  return { intervalS, isLocalRefresher: agreed.refresher !== 'uas' };
}

/** Headers of the 2xx to a request with this session timer. */
export function sessionAnswerHeaders(session: SessionInterval | null): SipHeaders {
  if (!session) return [];
  if (session.isLocalRefresher) return [['Session-Expires', `${session.intervalS};refresher=uas`]];
  return [
    ['Session-Expires', `${session.intervalS};refresher=uac`],
    ['Require', 'timer'],
  ];
}

/** Headers of a local request that asks for a session timer, or refreshes the session as the refresher. */
export function sessionOfferHeaders(intervalS: number, isRefresh: boolean): SipHeaders {
  return [['Session-Expires', `${intervalS}${isRefresh ? ';refresher=uac' : ''}`], ...MIN_SE];
}

/** The interval that a 422 asks for; null if it names none that is longer and allowed. */
export function longerSession(response: SipResponse, intervalS: number): number | null {
  const minS = Number.parseInt(headerOf(response, 'Min-SE') ?? '', 10);
  return response.status === 422 && minS > intervalS && minS <= MAX_SESSION_S ? minS : null;
}

function readSessionExpires(message: SipRequest | SipResponse) {
  const text = headerOf(message, 'Session-Expires') ?? '';
  const groups = /^(?<seconds>\d{1,9})(?<rest>\s*;.*)?$/u.exec(text)?.groups;
  if (!groups?.['seconds']) return null;
  const refresher = /;\s*refresher\s*=\s*(?<side>ua[cs])/iu.exec(groups['rest'] ?? '')?.groups?.['side'];
  return { intervalS: Number(groups['seconds']), refresher: refresher?.toLowerCase() ?? null };
}

/** A peer that does not refresh is hung up this long before the end of the interval, or a third of it (RFC 4028, 10). */
const MARGIN_MS = 32_000;
/** Pause after a refresh that failed for the moment. */
const RETRY_MS = 10_000;

interface SessionTimerOptions {
  clock: Clock;
  /**
   * Refreshes the session. Resolves to the new session timer (null for none), to `retry` if the peer cannot refresh it
   * now, or to `lost` if the peer no longer has the call or does not respond.
   */
  refresh(intervalS: number): Promise<SessionInterval | null | 'retry' | 'lost'>;
  /** Called when the session was not refreshed in time. */
  onExpired(): void;
}

/** Refreshes the session of a dialog, or waits for the peer's refreshes. */
export class SessionTimer {
  readonly #options: SessionTimerOptions;
  #timer: Timer | null = null;
  /** When the session expires. */
  #expiresMs = 0;
  #isStopped = false;

  constructor(options: SessionTimerOptions) {
    this.#options = options;
  }

  /** Starts the interval; null ends the session timer. */
  set(session: SessionInterval | null): void {
    this.#timer?.cancel();
    if (this.#isStopped || !session) return;
    const intervalMs = session.intervalS * 1000;
    this.#expiresMs = this.#options.clock.nowMs() + intervalMs - Math.min(MARGIN_MS, intervalMs / 3);
    if (session.isLocalRefresher) this.#refreshAfter(intervalMs / 2, session.intervalS);
    else this.#expireInTime();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #expireInTime(): void {
    const { clock } = this.#options;
    this.#timer = clock.setTimer(this.#expiresMs - clock.nowMs(), () => this.#options.onExpired());
  }

  #refreshAfter(delayMs: number, intervalS: number): void {
    this.#timer = this.#options.clock.setTimer(delayMs, () => void this.#refresh(intervalS));
  }

  async #refresh(intervalS: number): Promise<void> {
    const { clock } = this.#options;
    const outcome = await this.#options.refresh(intervalS);
    if (this.#isStopped) return;
    if (outcome === 'lost') this.#options.onExpired();
    else if (outcome !== 'retry') this.set(outcome);
    else if (clock.nowMs() + RETRY_MS >= this.#expiresMs) this.#expireInTime();
    else this.#refreshAfter(RETRY_MS, intervalS);
  }
}
