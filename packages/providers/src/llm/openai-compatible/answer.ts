import { ProviderError, type ModelChunk } from '@calls/conversation';
import { refusalMessage } from '../../http/refusal.ts';
import { chatCompletionChunk, DONE, type ChatCompletionChunk } from './wire.ts';

/** What the events of one answer have added up to. */
export class Answer {
  usage: (ModelChunk & { type: 'usage' }) | undefined;
  /** The model has said its last word; its usage may follow. */
  finished = false;
  /** Nothing that matters can follow. */
  complete = false;
  /** The server has said that nothing follows. */
  done = false;
  #charactersLeft: number;
  #events = 0;
  readonly #provider: string;
  readonly #confidential: readonly string[];

  constructor(provider: string, maxCharacters: number, confidential: readonly string[]) {
    this.#provider = provider;
    this.#charactersLeft = maxCharacters;
    this.#confidential = confidential;
  }

  /** The texts of these events, in order. */
  *take(events: readonly string[]): Generator<string, void, undefined> {
    for (const data of events) {
      if (this.complete) return;
      this.#events += 1;
      if (data === DONE) {
        this.done = true;
        this.finished = true;
        this.complete = true;
        return;
      }
      const text = this.#read(this.#parse(data));
      if (text === '') continue;
      const kept = text.slice(0, this.#charactersLeft);
      this.#charactersLeft -= kept.length;
      if (this.#charactersLeft === 0) {
        this.finished = true;
        this.complete = true;
      }
      if (kept !== '') yield kept;
    }
  }

  /** Throws where the stream has ended before the answer did. */
  assertWhole(): void {
    if (this.finished) return;
    if (this.#events === 0)
      throw new ProviderError(this.#provider, 'malformed', 'an answer without a single event');
    throw new ProviderError(this.#provider, 'cut', 'the stream ended before the answer was complete');
  }

  #read(chunk: ChatCompletionChunk): string {
    if (chunk.error !== undefined && chunk.error !== null) {
      const message = refusalMessage(chunk.error, this.#confidential);
      throw new ProviderError(this.#provider, 'refused', `failed while answering: ${message}`);
    }
    if (chunk.usage) {
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens = 0 } = chunk.usage;
      this.usage = { type: 'usage', inputTokens, outputTokens };
    }
    const choice = chunk.choices?.[0];
    if (typeof choice?.finish_reason === 'string') this.finished = true;
    return choice?.delta?.content ?? '';
  }

  #parse(data: string): ChatCompletionChunk {
    try {
      return chatCompletionChunk.parse(JSON.parse(data));
    } catch (thrown) {
      // A JSON parser's message quotes what it read, which is what the agent was about to say: it is not passed on.
      const cause = thrown instanceof SyntaxError ? undefined : thrown;
      throw new ProviderError(this.#provider, 'malformed', 'an event that is not a chat completion chunk', {
        cause,
      });
    }
  }
}
