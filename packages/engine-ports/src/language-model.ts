/** A tool call as the model makes it. */
export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it; may be anything. */
  arguments: string;
}

/** One part of a user message: text, or audio for models that accept it. */
export type UserPart =
  | { type: 'text'; text: string }
  /** Mono signed 16-bit PCM at 16 kHz. */
  | { type: 'audio'; samples: Int16Array };

export type UserContent = string | readonly UserPart[];

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: UserContent }
  /** `content` may be empty if there are tool calls. */
  | { role: 'assistant'; content: string; toolCalls?: readonly ModelToolCall[] }
  /** Follows the assistant message with the call. Every call has exactly one result. */
  | { role: 'tool'; toolCallId: string; content: string };

/** A tool that the model may call. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  /** Name from the model catalogue. */
  model: string;
  messages: readonly ModelMessage[];
  /** 0 to 1. */
  temperature: number;
  /** Absent or empty: the model cannot call tools. */
  tools?: readonly ModelTool[];
}

export type ModelChunk =
  | { type: 'text'; text: string }
  /** A complete call. Any number per response, usually at the end. */
  | { type: 'tool_call'; call: ModelToolCall }
  /** Sent once, at the end, by models that report usage. */
  | ({ type: 'usage' } & TokenUsage);

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

export interface LanguageModel {
  /** Whether the model accepts audio parts. */
  acceptsAudio(model: string): boolean;
  /**
   * Streams one generation. Throws a ProviderError if the request is refused, the stream ends early, or no data
   * arrives within the adapter's timeout. When `signal` aborts, throws the signal's reason.
   */
  respond(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}
