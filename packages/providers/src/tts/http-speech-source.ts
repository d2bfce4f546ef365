import type { Deadline, HttpExchange } from '../http/exchange.ts';
import type { SpeechPiece, SpeechReader, SpeechSource } from './speech-source.ts';

/** Content types that were not requested. Played as samples, they would be loud noise. */
const FOREIGN_AUDIO = /html|mpeg|mp3|ogg|opus|aac|mp4|flac|webm/i;

export interface HttpSpeechSourceOptions {
  exchange: HttpExchange;
  reader: SpeechReader;
  /** Rejected content types. */
  foreign?: RegExp;
}

/** One request whose streamed response is the speech. */
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
      await this.#assertSpeech((await exchange.head(deadline))['content-type'], deadline);
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

  async #assertSpeech(contentType: string | undefined, deadline: Deadline): Promise<void> {
    const { exchange, foreign = FOREIGN_AUDIO } = this.#options;
    if (contentType === undefined || !foreign.test(contentType)) return;
    const kind = contentType.slice(0, 60);
    throw await exchange.unexpected(`the response has the unexpected content type ${kind}`, deadline);
  }
}
