import { randomInt } from 'node:crypto';
import { abortable, delay } from '@calls/foundation/clock';
import type { CallContext } from '../call-context.ts';
import { ALLOW, SDP, SUPPORTED } from '../message/build.ts';
import { headerOf, type SipHeaders } from '../message/headers.ts';
import { sdpOf, type SipResponse } from '../message/message.ts';
import type { DialogRequests } from './dialog-requests.ts';
import {
  longerSession,
  sessionOfferHeaders,
  sessionOfResponse,
  SessionTimer,
  type SessionInterval,
} from './session-timer.ts';

interface RefreshOptions {
  context: Pick<CallContext, 'clock'>;
  requests: Pick<DialogRequests, 'send'>;
  /** Whether the peer accepts UPDATE. */
  hasUpdate: boolean;
  contact(): SipHeaders;
  localSdp(): string;
  /** Resolves when the dialog can send a request; false if an INVITE of the peer is being answered. */
  ready(): Promise<boolean>;
  /** Called with the 2xx to a refresh. `sdp`: its description, if any. */
  onRefreshed(response: SipResponse, sdp: string | null): void;
  /** Called when the session was not refreshed in time, or the peer no longer has it. */
  onExpired(): void;
}

/** Pause before an INVITE that crossed one of the peer is repeated (RFC 3261, 14.1). */
const PENDING_PAUSE_MS = { min: 100, max: 2000 };

/** Runs the session timer of a dialog, and refreshes the session by UPDATE or re-INVITE (RFC 4028, 7.4). */
export class SessionRefresh {
  readonly #options: RefreshOptions;
  readonly #timer: SessionTimer;
  #interval: SessionInterval | null = null;
  #isReinviting = false;
  #hasUpdate: boolean;

  constructor(options: RefreshOptions) {
    this.#options = options;
    this.#hasUpdate = options.hasUpdate;
    this.#timer = new SessionTimer({
      clock: options.context.clock,
      refresh: (intervalS) => this.#refresh(intervalS),
      onExpired: () => options.onExpired(),
    });
  }

  /** Whether a local re-INVITE waits for its answer. */
  get isReinviting(): boolean {
    return this.#isReinviting;
  }

  get interval(): SessionInterval | null {
    return this.#interval;
  }

  /** Starts the interval; null ends the session timer. */
  set(session: SessionInterval | null): void {
    this.#interval = session;
    this.#timer.set(session);
  }

  stop(): void {
    this.#timer.stop();
  }

  /**
   * Offers the local description to a peer that does not know this endpoint yet. Resolves to the 2xx, or to null if the
   * peer refuses, or does not respond within `limitMs` or before the dialog has `ended`.
   */
  async move(limitMs: number, ended: Promise<unknown>): Promise<SipResponse | null> {
    const over = new AbortController();
    const limit = this.#options.context.clock.setTimer(limitMs, () => over.abort());
    void ended.then(() => over.abort());
    const response = await abortable(this.#move(over.signal), over.signal).catch(() => null);
    limit.cancel();
    return response;
  }

  async #move(signal: AbortSignal): Promise<SipResponse | null> {
    const { clock } = this.#options.context;
    let session = this.#interval;
    for (;;) {
      const headers = session ? sessionOfferHeaders(session.intervalS, session.isLocalRefresher) : [];
      const response = await this.#reinvite([...this.#ownHeaders(), ...headers]);
      if (!response) return null;
      if (response.status < 300) return response;
      const longerS = session && longerSession(response, session.intervalS);
      if (session && longerS !== null) session = { ...session, intervalS: longerS };
      else if (!isPending(response)) return null;
      else await delay(clock, randomInt(PENDING_PAUSE_MS.min, PENDING_PAUSE_MS.max), signal);
    }
  }

  #ownHeaders(): SipHeaders {
    return [...this.#options.contact(), ...ALLOW, ...SUPPORTED];
  }

  async #refresh(intervalS: number): Promise<SessionInterval | null | 'retry' | 'lost'> {
    if (!(await this.#options.ready())) return 'retry';
    const hasUpdate = this.#hasUpdate;
    const headers = [...this.#ownHeaders(), ...sessionOfferHeaders(intervalS, true)];
    const { requests } = this.#options;
    const response = await (hasUpdate ? requests.send('UPDATE', { headers }) : this.#reinvite(headers));
    if (!response || isDialogLost(response)) return 'lost';
    if (hasUpdate && (response.status === 405 || response.status === 501)) {
      // The peer allows UPDATE, but a server in between does not.
      this.#hasUpdate = false;
      return this.#refresh(intervalS);
    }
    const longerS = longerSession(response, intervalS);
    if (longerS !== null) return this.#refresh(longerS);
    if (response.status >= 300) return 'retry';
    this.#options.onRefreshed(response, hasUpdate ? null : sdpOf(response));
    return sessionOfResponse(response);
  }

  /** Sends a re-INVITE with the same description as before. */
  async #reinvite(headers: SipHeaders): Promise<SipResponse | null> {
    this.#isReinviting = true;
    const parts = { headers: [...headers, ...SDP], body: this.#options.localSdp() };
    const response = await this.#options.requests.send('INVITE', parts);
    this.#isReinviting = false;
    return response;
  }
}

/** RFC 3261, 12.2.1.2. */
export function isDialogLost({ status }: SipResponse): boolean {
  return status === 481 || status === 408;
}

/** Whether the peer has another INVITE of the dialog under way. */
function isPending(response: SipResponse): boolean {
  return response.status === 491 || (response.status === 500 && headerOf(response, 'Retry-After') !== null);
}
