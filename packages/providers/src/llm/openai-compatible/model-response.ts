import type { ModelChunk, ModelToolCall } from '@calls/engine-ports/language-model';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { isRetryableStatus, refusalMessage } from '../../http/refusal.ts';
import type { LanguageModelLimits } from './limits.ts';
import { MarkupFilter } from './markup-filter.ts';
import { ThinkingFilter } from './thinking-filter.ts';
import { ToolCallAssembly } from './tool-calls.ts';
import { chatCompletionChunk, DONE, type ChatCompletionChunk } from './wire.ts';

/** Cause and remedy of errors while a model thinks. */
export const STILL_THINKING = 'the model was still thinking; to turn thinking off, see LLM_EXTRA_BODY';

export interface ResponseOptions {
  limits: Pick<LanguageModelLimits, 'maxResponseCharacters' | 'maxToolCalls' | 'maxArgumentCharacters'>;
  /** If no tools were offered, tool calls are ignored; a response of nothing else is an error. */
  toolsOffered: boolean;
  /** Texts to remove from the provider's error messages. */
  confidential: () => readonly string[];
}

/** Accumulates the events of one response. */
export class ModelResponse {
  usage: (ModelChunk & { type: 'usage' }) | undefined;
  /** Whether text or a part of a tool call has arrived. */
  begun = false;
  /** Whether thinking has arrived, which is never spoken. */
  hasThought = false;
  /** Whether the finish reason has arrived. Usage may follow. */
  finished = false;
  /** Whether everything that matters has arrived. */
  complete = false;
  /** Whether the server has ended the stream. */
  done = false;
  #charactersLeft: number;
  #hasText = false;
  #hasCalls = false;
  #events = 0;
  #finishReason: string | undefined;
  /** The response exceeded its maximum length, so its tool calls may be incomplete. */
  #cutShort = false;
  readonly #provider: string;
  readonly #toolCalls: ToolCallAssembly | null;
  readonly #thinking = new ThinkingFilter();
  readonly #markup = new MarkupFilter();
  readonly #confidential: () => readonly string[];

  constructor(provider: string, options: ResponseOptions) {
    this.#provider = provider;
    this.#charactersLeft = options.limits.maxResponseCharacters;
    this.#toolCalls = options.toolsOffered ? new ToolCallAssembly(provider, options.limits) : null;
    this.#confidential = options.confidential;
  }

  /** Adds events and yields their texts in order. */
  *take(events: readonly string[]): Generator<string, void, undefined> {
    for (const data of events) {
      if (this.complete) return;
      this.#events += 1;
      const piece = data === DONE ? this.#end() : this.#read(this.#parse(data));
      const text = this.#markup.push(this.#thinking.push(piece), this.finished);
      this.hasThought ||= this.#thinking.isThinking;
      this.begun ||= text !== '' || this.#markup.hasToolCall;
      if (text === '') continue;
      const allowed = text.slice(0, this.#charactersLeft);
      this.#charactersLeft -= allowed.length;
      if (this.#charactersLeft === 0) {
        this.#cutShort = true;
        this.finished = true;
        this.complete = true;
      }
      if (allowed === '') continue;
      this.#hasText ||= allowed.trim() !== '';
      yield allowed;
    }
  }

  /** The tool calls of a finished response; each is returned once. */
  takeToolCalls(): readonly ModelToolCall[] {
    return this.finished && !this.#cutShort ? (this.#toolCalls?.take() ?? []) : [];
  }

  /** Throws if the stream ended before the response was complete, or if there is no response to the request. */
  assertWhole(): void {
    if (!this.begun) this.#assertNotStopped();
    const { hasToolCall } = this.#markup;
    if (!this.#toolCalls && (this.#hasCalls || hasToolCall) && !this.#hasText)
      throw new ProviderError(this.#provider, 'malformed', 'a tool call, although no tools were offered');
    if (this.#toolCalls && !this.#hasCalls && hasToolCall) {
      const message = 'a tool call in the text: the server does not parse the tool calls of its model';
      throw new ProviderError(this.#provider, 'malformed', message);
    }
    if (this.finished) return;
    if (this.#events === 0)
      throw new ProviderError(this.#provider, 'malformed', 'the response has no events');
    throw new ProviderError(this.#provider, 'cut', 'the stream ended before the response was complete');
  }

  #end(): string {
    this.done = true;
    this.finished = true;
    this.complete = true;
    return '';
  }

  #read(chunk: ChatCompletionChunk): string {
    if (chunk.error !== undefined && chunk.error !== null) {
      const message = refusalMessage(chunk.error, this.#confidential());
      const { code } = chunk.error as { code?: unknown };
      const retryable = typeof code !== 'number' || isRetryableStatus(code);
      throw new ProviderError(this.#provider, 'refused', `failed while responding: ${message}`, {
        retryable,
      });
    }
    if (chunk.usage) {
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = chunk.usage;
      this.usage = { type: 'usage', inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
    }
    const choice = chunk.choices?.[0];
    for (const delta of choice?.delta?.tool_calls ?? []) {
      this.begun = true;
      this.#hasCalls = true;
      this.#toolCalls?.add(delta);
    }
    // Some servers send an empty reason with every piece.
    if (choice?.finish_reason) {
      this.finished = true;
      this.#finishReason = choice.finish_reason;
    }
    const { reasoning_content, reasoning, content } = choice?.delta ?? {};
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    this.hasThought ||=
      [reasoning_content, reasoning].some((text) => typeof text === 'string' && text !== '') ||
      parts.some(({ type }) => type === 'thinking');
    return parts.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');
  }

  /** Throws if the provider stopped the model before it began to answer. */
  #assertNotStopped(): void {
    if (this.#finishReason === 'content_filter')
      throw new ProviderError(
        this.#provider,
        'refused',
        "the provider's content filter blocked the response",
      );
    if (this.#finishReason === 'length') {
      const cause = this.hasThought ? `: ${STILL_THINKING}` : '';
      throw new ProviderError(
        this.#provider,
        'refused',
        `the model reached the token limit before it responded${cause}`,
      );
    }
  }

  #parse(data: string): ChatCompletionChunk {
    try {
      return chatCompletionChunk.parse(JSON.parse(data));
    } catch (thrown) {
      // JSON parse errors quote the input, which contains the agent's words, so they are not included.
      const cause = thrown instanceof SyntaxError ? undefined : thrown;
      throw new ProviderError(this.#provider, 'malformed', 'an event is not a chat completion chunk', {
        cause,
      });
    }
  }
}
