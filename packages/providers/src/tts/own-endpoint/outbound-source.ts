import { ProviderError } from '@calls/engine-ports/provider-error';
import { abortable, withTimeout, type Clock } from '@calls/foundation/clock';
import { TimeoutError } from '@calls/foundation/errors';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp, OutboundRequest } from '@calls/outbound-http/outbound-http';
import type { OutboundResponse } from '@calls/outbound-http/outbound-response';
import type { Deadline } from '../../http/exchange.ts';
import { MAX_REFUSAL_BYTES, refusal, refusalText } from '../../http/refusal.ts';
import type { SpeechPiece, SpeechReader, SpeechSource } from '../speech-source.ts';

export interface OutboundSourceOptions {
  /** Adapter name for errors. */
  provider: string;
  clock: Clock;
  outbound: OutboundHttp;
  request: OutboundRequest;
  reader: (contentType: string | undefined) => SpeechReader;
  /** Texts to remove from the endpoint's error messages. */
  confidential: readonly string[];
  signal: AbortSignal;
}

/** Time to read data that arrived while no read was pending, even when its deadline has passed. */
const READ_MS = 250;

/** One request to a customer's address through the guarded HTTP client, read by pulling. */
export class OutboundSpeechSource implements SpeechSource {
  readonly #options: OutboundSourceOptions;
  readonly #left = new AbortController();
  readonly #response: Promise<OutboundResponse>;
  #body: { reader: SpeechReader; chunks: AsyncIterator<Buffer> } | undefined;
  #ended = false;

  constructor(options: OutboundSourceOptions) {
    this.#options = options;
    this.#response = options.outbound.request({ ...options.request, signal: this.#left.signal });
    // `read` reports the error, but may never be called.
    this.#response.catch(() => undefined);
  }

  async read(deadline: Deadline): Promise<readonly SpeechPiece[] | null> {
    if (this.#ended) return null;
    try {
      return await this.#next(deadline);
    } catch (thrown) {
      throw this.#errorOf(thrown, deadline);
    }
  }

  close(): void {
    this.#ended = true;
    this.#left.abort();
  }

  async #next(deadline: Deadline): Promise<readonly SpeechPiece[]> {
    this.#body ??= await this.#begin(deadline);
    const { reader, chunks } = this.#body;
    const chunk = await this.#inTime(chunks.next(), deadline);
    if (chunk.done !== true) return reader.push(chunk.value);
    this.#ended = true;
    return reader.end();
  }

  async #begin(deadline: Deadline) {
    const { provider, confidential, reader } = this.#options;
    const response = await this.#inTime(this.#response, deadline);
    const chunks = response.body[Symbol.asyncIterator]();
    if (response.status >= 200 && response.status < 300)
      return { reader: reader(response.headers['content-type']), chunks };
    let said = Buffer.alloc(0);
    while (said.length < MAX_REFUSAL_BYTES) {
      const chunk = await this.#inTime(chunks.next(), deadline);
      if (chunk.done === true) break;
      said = Buffer.concat([said, chunk.value]).subarray(0, MAX_REFUSAL_BYTES);
    }
    const { 'retry-after': retryAfter } = response.headers;
    throw refusal(provider, response.status, refusalText(said.toString('utf8'), confidential), retryAfter);
  }

  #inTime<T>(work: Promise<T>, { atMs }: Deadline): Promise<T> {
    const { clock, signal } = this.#options;
    const limitMs = Math.max(READ_MS, atMs - clock.nowMs());
    return abortable(withTimeout(clock, work, limitMs, 'the answer'), signal);
  }

  #errorOf(thrown: unknown, deadline: Deadline): unknown {
    const { provider, signal } = this.#options;
    if (signal.aborted) return signal.reason;
    if (thrown instanceof TimeoutError) return new ProviderError(provider, 'timeout', deadline.message);
    if (!(thrown instanceof OutboundError)) return thrown;
    const options = { cause: thrown, retryable: thrown.retryable };
    switch (thrown.code) {
      case 'outbound_refused':
        return new ProviderError(provider, 'unavailable', thrown.message, options);
      case 'outbound_timeout':
        return new ProviderError(provider, 'timeout', thrown.message, options);
      case 'outbound_too_large':
        return new ProviderError(provider, 'malformed', thrown.message, options);
      default:
        return new ProviderError(provider, this.#body ? 'cut' : 'unreachable', thrown.message, options);
    }
  }
}
