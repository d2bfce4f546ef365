import { CRAWLER_NAME, type RobotsFile } from '@calls/corpora/crawl/crawl-rules';
import { delay, type Clock } from '@calls/foundation/clock';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { OutboundResponse } from '@calls/outbound-http/outbound-response';
import type { LoadRun } from './load-run.ts';

const REQUEST_LIMIT_MS = 15_000;
const MAX_REDIRECTS = 5;
const MAX_ROBOTS_BYTES = 500 * 1024;
/** Pause between two requests of a crawl if robots.txt asks for none. */
const MIN_PAUSE_MS = 100;
/** Maximum pause that an overloaded site can ask for, so that a job has time for the next request. */
const MAX_PAUSE_MS = 20_000;

/** What a site's robots.txt says about a page. */
interface Permission {
  isAllowed: boolean;
  /** Pause between requests; 0 if robots.txt does not set one. */
  delayMs: number;
}

/** Sends requests to the sites of one crawl: one at a time, with pauses, and only where robots.txt allows them. */
export class PoliteClient {
  readonly #outbound: OutboundHttp;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #run: Pick<LoadRun, 'untrustedWork' | 'source'>;
  /** Keyed by origin; null for a site without robots.txt. */
  readonly #robots = new Map<string, RobotsFile | null>();
  #last: { url: string; permission: Permission } | null = null;
  #nextAtMs = 0;

  constructor(run: Pick<LoadRun, 'outbound' | 'untrustedWork' | 'source' | 'clock' | 'signal'>) {
    this.#outbound = run.outbound;
    this.#clock = run.clock;
    this.#signal = run.signal;
    this.#run = run;
  }

  /** Throws an OutboundError if robots.txt is unavailable, a WorkTooExpensiveError if evaluating it takes too long. */
  async allows(url: string): Promise<boolean> {
    return (await this.#permissionOf(url)).isAllowed;
  }

  /** Returns the head of the response, after redirects. Throws an OutboundError. */
  async get(url: string, maxResponseBytes: number): Promise<OutboundResponse> {
    const { delayMs } = await this.#permissionOf(url);
    return this.#request(url, maxResponseBytes, Math.max(delayMs, MIN_PAUSE_MS));
  }

  async #permissionOf(url: string): Promise<Permission> {
    if (this.#last?.url === url) return this.#last.permission;
    const permission = await this.#fetchRobots(url);
    this.#last = { url, permission };
    return permission;
  }

  async #fetchRobots(pageUrl: string): Promise<Permission> {
    const { origin } = new URL(pageUrl);
    let file = this.#robots.get(origin);
    if (file === undefined) {
      file = await this.#readRobots(`${origin}/robots.txt`);
      this.#robots.set(origin, file);
    }
    if (file === null) return { isAllowed: true, delayMs: 0 };
    const { untrustedWork, source } = this.#run;
    const options = { owner: source.account_id, signal: this.#signal };
    return untrustedWork.run('robots', { file, pageUrl }, options);
  }

  async #readRobots(url: string): Promise<RobotsFile | null> {
    const response = await this.#request(url, MAX_ROBOTS_BYTES, MIN_PAUSE_MS);
    if (response.status >= 200 && response.status < 300) {
      return { url, text: (await response.bytes()).toString('utf8') };
    }
    response.close();
    if (response.status < 500 && response.status !== 429) return null;
    throw new OutboundError('outbound_failed', `robots.txt responds with ${response.status}`, {
      retryable: true,
    });
  }

  /** Sends a request after the pause of the last one. `pauseMs`: the pause after this one. */
  async #request(url: string, maxResponseBytes: number, pauseMs: number): Promise<OutboundResponse> {
    await delay(this.#clock, this.#nextAtMs - this.#clock.nowMs(), this.#signal);
    let requestedMs = 0;
    try {
      const response = await this.#outbound.request({
        method: 'GET',
        url,
        headers: { 'User-Agent': `${CRAWLER_NAME}/1.0`, Accept: 'text/html, text/*;q=0.9, */*;q=0.5' },
        timeoutMs: REQUEST_LIMIT_MS,
        maxResponseBytes,
        maxRedirects: MAX_REDIRECTS,
        signal: this.#signal,
        owner: this.#run.source.account_id,
      });
      requestedMs = retryAfterMs(response, this.#clock.wallMs());
      return response;
    } finally {
      this.#nextAtMs = this.#clock.nowMs() + Math.max(pauseMs, requestedMs);
    }
  }
}

/** The pause that an overloaded site asks for, in seconds or until a date; 0 for other responses. */
function retryAfterMs({ status, headers }: OutboundResponse, wallMs: number): number {
  const { 'retry-after': text = '' } = headers;
  if (status !== 429 && status !== 503) return 0;
  const requestedMs = /^\d+$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - wallMs;
  return requestedMs > 0 ? Math.min(requestedMs, MAX_PAUSE_MS) : 0;
}
