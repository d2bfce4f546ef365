import { AppError } from '@calls/foundation/errors';

export type ProviderFault =
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
 * `retryable` defaults by `fault`; an adapter may override it for a refused request that can succeed later.
 */
export class ProviderError extends AppError {
  readonly provider: string;
  readonly fault: ProviderFault;

  constructor(
    provider: string,
    fault: ProviderFault,
    message: string,
    options: { cause?: unknown; retryable?: boolean } = {},
  ) {
    super(`provider_${fault}`, `${provider}: ${message}`, {
      retryable: fault === 'unreachable' || fault === 'timeout' || fault === 'cut',
      ...options,
    });
    this.provider = provider;
    this.fault = fault;
  }
}
