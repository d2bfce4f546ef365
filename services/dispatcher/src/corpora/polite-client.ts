import { CRAWLER_NAME, NO_RULES, robotsRules, type RobotsRules } from '@calls/corpora/loading';
import { delay, type Clock } from '@calls/foundation';
import { OutboundError, type OutboundHttp, type OutboundResponse } from '@calls/outbound-http';

const REQUEST_LIMIT_MS = 15_000;
const MAX_REDIRECTS = 5;
const MAX_ROBOTS_BYTES = 500 * 1024;
/** Between two requests of a crawl, where the site asks for no more. */
const MIN_PAUSE_MS = 100;

/** Polite requests to the sites of one crawl: one at a time, with pauses, and none that a robots.txt forbids. */
export class PoliteClient {
  readonly #outbound: OutboundHttp;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #rules = new Map<string, RobotsRules>();
  #nextAtMs = 0;

  constructor(parts: { outbound: OutboundHttp; clock: Clock; signal: AbortSignal }) {
    this.#outbound = parts.outbound;
    this.#clock = parts.clock;
    this.#signal = parts.signal;
  }

  /** Throws an OutboundError where the site can't say. */
  async allows(url: string): Promise<boolean> {
    return (await this.#rulesOf(new URL(url).origin)).allows(url);
  }

  /** The head of the answer, after redirects. Throws an OutboundError. */
  async get(url: string, maxResponseBytes: number): Promise<OutboundResponse> {
    const { delayMs } = await this.#rulesOf(new URL(url).origin);
    await delay(this.#clock, this.#nextAtMs - this.#clock.nowMs(), this.#signal);
    try {
      return await this.#request(url, maxResponseBytes);
    } finally {
      this.#nextAtMs = this.#clock.nowMs() + Math.max(delayMs, MIN_PAUSE_MS);
    }
  }

  async #rulesOf(origin: string): Promise<RobotsRules> {
    const known = this.#rules.get(origin);
    if (known) return known;
    const rules = await this.#readRules(`${origin}/robots.txt`);
    this.#rules.set(origin, rules);
    return rules;
  }

  async #readRules(robotsUrl: string): Promise<RobotsRules> {
    const response = await this.#request(robotsUrl, MAX_ROBOTS_BYTES);
    if (response.status >= 200 && response.status < 300) {
      return robotsRules(robotsUrl, (await response.bytes()).toString('utf8'));
    }
    response.close();
    if (response.status < 500) return NO_RULES;
    throw new OutboundError('outbound_failed', `robots.txt answers ${response.status}`, { retryable: true });
  }

  #request(url: string, maxResponseBytes: number): Promise<OutboundResponse> {
    return this.#outbound.request({
      method: 'GET',
      url,
      headers: { 'User-Agent': `${CRAWLER_NAME}/1.0`, Accept: 'text/html, text/*;q=0.9, */*;q=0.5' },
      timeoutMs: REQUEST_LIMIT_MS,
      maxResponseBytes,
      maxRedirects: MAX_REDIRECTS,
      signal: this.#signal,
    });
  }
}
