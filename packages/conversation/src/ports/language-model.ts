export interface ModelMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ModelRequest {
  /** Name from the catalogue of models. */
  model: string;
  messages: readonly ModelMessage[];
  /** 0 to 1. */
  temperature: number;
}

export type ModelChunk =
  | { type: 'text'; text: string }
  /** Once, at the end, from models that count. */
  | { type: 'usage'; inputTokens: number; outputTokens: number };

export interface LanguageModel {
  /**
   * One answer, streamed. Throws a ProviderError on refusal, on a stream cut before its end, and on silence longer than
   * the adapter's limits. Ends quietly (by throwing the signal's reason) when `signal` aborts.
   */
  respond(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}
