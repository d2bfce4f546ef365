/** A tool call as the model makes it. */
export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it; may be anything. */
  arguments: string;
}

/** A part of what the user said: words, or the sound itself for models that take it. */
export type UserPart =
  | { type: 'text'; text: string }
  /** Mono signed 16-bit PCM at 16 kHz. */
  | { type: 'audio'; samples: Int16Array };

export type UserContent = string | readonly UserPart[];

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: UserContent }
  /** `content` may be empty where there are tool calls. */
  | { role: 'assistant'; content: string; toolCalls?: readonly ModelToolCall[] }
  /** Follows the assistant's message with the call; every call has exactly one. */
  | { role: 'tool'; toolCallId: string; content: string };

/** What the model may call. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  /** Name from the catalogue of models. */
  model: string;
  messages: readonly ModelMessage[];
  /** 0 to 1. */
  temperature: number;
  /** Absent or empty: the model can't call any. */
  tools?: readonly ModelTool[];
}

export type ModelChunk =
  | { type: 'text'; text: string }
  /** Whole: its arguments are complete. Any number of them, mostly at the end. */
  | { type: 'tool_call'; call: ModelToolCall }
  /** Once, at the end, from models that count. */
  | ({ type: 'usage' } & TokenUsage);

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

export interface LanguageModel {
  /** Whether that model takes audio parts. */
  acceptsAudio(model: string): boolean;
  /**
   * One answer, streamed. Throws a ProviderError on refusal, on a stream cut before its end, and on silence longer than
   * the adapter's limits. Ends quietly (by throwing the signal's reason) when `signal` aborts.
   */
  respond(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}
