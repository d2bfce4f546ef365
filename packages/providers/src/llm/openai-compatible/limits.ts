import type { ToolCallLimits } from './tool-calls.ts';

export interface LanguageModelLimits extends ToolCallLimits {
  connectTimeoutMs: number;
  /** Time limit from the request to the first text or part of a tool call. */
  firstTokenTimeoutMs: number;
  /** Time limit between two parts of a response. */
  gapTimeoutMs: number;
  /** Time limit of all waiting for the provider together. Excludes the reader's time. */
  totalTimeoutMs: number;
  /** A longer response is truncated without an error. */
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
