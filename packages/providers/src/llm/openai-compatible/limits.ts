import type { ToolCallLimits } from './tool-calls.ts';

export interface LanguageModelLimits extends ToolCallLimits {
  connectTimeoutMs: number;
  /** From the request to the first piece of text or of a tool call. */
  firstTokenTimeoutMs: number;
  /** Between two pieces of an answer that has begun. */
  gapTimeoutMs: number;
  /** Waiting for the provider in all; the time the reader takes does not count. */
  totalTimeoutMs: number;
  /** A longer answer ends there, without a fault. */
  maxResponseCharacters: number;
}

export const DEFAULT_LANGUAGE_MODEL_LIMITS: LanguageModelLimits = {
  connectTimeoutMs: 2000,
  firstTokenTimeoutMs: 8000,
  gapTimeoutMs: 5000,
  totalTimeoutMs: 60_000,
  maxResponseCharacters: 20_000,
  maxToolCalls: 32,
  maxArgumentCharacters: 64 * 1024,
};
