import type { ModelChunk, ModelToolCall } from '@calls/conversation/ports/language-model';
import { ProviderError } from '@calls/conversation/ports/provider-error';
import { refusalMessage } from '../../http/refusal.ts';
import type { LanguageModelLimits } from './limits.ts';
import { ToolCallAssembly } from './tool-calls.ts';
import { chatCompletionChunk, DONE, type ChatCompletionChunk } from './wire.ts';

export interface AnswerOptions {
  limits: Pick<LanguageModelLimits, 'maxResponseCharacters' | 'maxToolCalls' | 'maxArgumentCharacters'>;
  /** Where none were, calls that a model makes all the same are left out. */
  toolsOffered: boolean;
  /** Removed from what the provider says in an error. */
  confidential: () => readonly string[];
}

/** What the events of one answer have added up to. */
export class Answer {
  usage: (ModelChunk & { type: 'usage' }) | undefined;
  /** There was a text, or a piece of a tool call. */
  begun = false;
  /** The model has said its last word; its usage may follow. */
  finished = false;
  /** Nothing that matters can follow. */
  complete = false;
  /** The server has said that nothing follows. */
  done = false;
  #charactersLeft: number;
  #events = 0;
  /** It was longer than allowed: what it goes on to call is not known. */
  #cutShort = false;
  readonly #provider: string;
  readonly #toolCalls: ToolCallAssembly | null;
  readonly #confidential: () => readonly string[];

  constructor(provider: string, options: AnswerOptions) {
    this.#provider = provider;
    this.#charactersLeft = options.limits.maxResponseCharacters;
    this.#toolCalls = options.toolsOffered ? new ToolCallAssembly(provider, options.limits) : null;
    this.#confidential = options.confidential;
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
      this.begun = true;
      const allowed = text.slice(0, this.#charactersLeft);
      this.#charactersLeft -= allowed.length;
      if (this.#charactersLeft === 0) {
        this.#cutShort = true;
        this.finished = true;
        this.complete = true;
      }
      if (allowed !== '') yield allowed;
    }
  }

  /** The tool calls of an answer that is finished, each given once. */
  takeToolCalls(): readonly ModelToolCall[] {
    return this.finished && !this.#cutShort ? (this.#toolCalls?.take() ?? []) : [];
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
      const message = refusalMessage(chunk.error, this.#confidential());
      throw new ProviderError(this.#provider, 'refused', `failed while answering: ${message}`);
    }
    if (chunk.usage) {
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens = 0 } = chunk.usage;
      this.usage = { type: 'usage', inputTokens, outputTokens };
    }
    const choice = chunk.choices?.[0];
    for (const delta of choice?.delta?.tool_calls ?? []) {
      this.begun = true;
      this.#toolCalls?.add(delta);
    }
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
