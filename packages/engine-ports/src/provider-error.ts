import { AppError } from '@calls/foundation/errors';

export type ProviderErrorKind =
  /** No connection, or it broke. */
  | 'unreachable'
  /** The response has an error status. */
  | 'refused'
  /** The response violates the protocol. */
  | 'malformed'
  /** No response, or a stream that stalled, within the adapter's timeout. */
  | 'timeout'
  /** The stream ended before it was complete. */
  | 'cut'
  /** The engine is not installed or not configured here. */
  | 'unavailable'
  /** A newer request replaced this one. */
  | 'superseded';

/**
 * An error of a speech or language provider. `provider` names the adapter; the message contains no transcript.
 * `retryable` defaults by `kind`; an adapter may override it for a refused request that can succeed later.
 */
export class ProviderError extends AppError {
  readonly provider: string;
  readonly kind: ProviderErrorKind;
  /** How long the provider asked to wait before the next request; null if it did not say. */
  readonly retryAfterMs: number | null;

  constructor(
    provider: string,
    kind: ProviderErrorKind,
    message: string,
    {
      retryAfterMs = null,
      ...options
    }: { cause?: unknown; retryable?: boolean; retryAfterMs?: number | null } = {},
  ) {
    super(`provider_${kind}`, `${provider}: ${message}`, {
      retryable: kind === 'unreachable' || kind === 'timeout' || kind === 'cut',
      ...options,
    });
    this.provider = provider;
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** How long an engine that has failed is not preferred, if its provider does not say how long. */
export const ENGINE_COOLDOWN_MS = 30_000;
const MIN_COOLDOWN_MS = 1000;
const MAX_COOLDOWN_MS = 300_000;

/** How long an engine is not preferred after this error: as long as its provider asked to wait, within limits. */
export function cooldownMsAfter(thrown: unknown): number {
  const requestedMs = thrown instanceof ProviderError ? thrown.retryAfterMs : null;
  return Math.min(Math.max(requestedMs ?? ENGINE_COOLDOWN_MS, MIN_COOLDOWN_MS), MAX_COOLDOWN_MS);
}
