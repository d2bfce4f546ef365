import { AppError } from '@calls/foundation/errors';

export type ProviderFault =
  /** No connection, or it broke. */
  | 'unreachable'
  /** An answer with an error status. */
  | 'refused'
  /** An answer that does not speak the protocol. */
  | 'malformed'
  /** No answer, or a stream that stopped, within the adapter's limit. */
  | 'timeout'
  /** A stream that ended before it was complete. */
  | 'cut'
  /** The engine is not installed or not configured here. */
  | 'unavailable'
  /** A newer request took this one's place. */
  | 'superseded';

/**
 * A fault of a speech or language engine. `provider` names the adapter; the message holds no spoken word. `retryable` by
 * default follows from the fault; a refusal may say that the same request can succeed later.
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
