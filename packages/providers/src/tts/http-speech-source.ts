import { ProviderError } from '@calls/conversation/ports/provider-error';
import type { Deadline, HttpExchange } from '../http/exchange.ts';
import type { SpeechPiece, SpeechReader, SpeechSource } from './speech-source.ts';

/** Content that can't be what was asked for, whatever it was: played as samples it would be loud noise. */
const FOREIGN_AUDIO = /html|mpeg|mp3|ogg|opus|aac|mp4|flac|webm/i;

export interface HttpSpeechSourceOptions {
  /** Names the adapter in errors. */
  provider: string;
  exchange: HttpExchange;
  reader: SpeechReader;
  /** What the answer's content type must not match. */
  foreign?: RegExp;
}

/** One request, whose streamed answer is the speech. */
export class HttpSpeechSource implements SpeechSource {
  readonly #options: HttpSpeechSourceOptions;
  #begun = false;
  #ended = false;

  constructor(options: HttpSpeechSourceOptions) {
    this.#options = options;
  }

  async read(deadline: Deadline): Promise<readonly SpeechPiece[] | null> {
    const { exchange, reader } = this.#options;
    if (this.#ended) return null;
    if (!this.#begun) {
      this.#assertSpeech((await exchange.head(deadline))['content-type']);
      this.#begun = true;
    }
    const bytes = await exchange.read(deadline);
    if (bytes !== null) return reader.push(bytes);
    this.#ended = true;
    return reader.end();
  }

  close(): void {
    this.#options.exchange.close();
  }

  #assertSpeech(contentType: string | undefined): void {
    const { provider, foreign = FOREIGN_AUDIO } = this.#options;
    if (contentType === undefined || !foreign.test(contentType)) return;
    const kind = contentType.slice(0, 60);
    throw new ProviderError(provider, 'malformed', `the answer is ${kind}, which was not asked for`);
  }
}
