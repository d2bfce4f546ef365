import { AppError } from '@calls/foundation/errors';
import type { Issue } from '@calls/foundation/schema/validator';

/**
 * Why a call cannot be created: `invalid` the request breaks a rule; `payment` the free time is used up; `forbidden` the account
 * does not have the feature; `impossible` the request is valid but cannot be served here; `limited` a rate or cap is reached;
 * `unavailable` a dependency is down.
 */
export type RefusalKind = 'invalid' | 'payment' | 'forbidden' | 'impossible' | 'limited' | 'unavailable';

/** A call that was not created; nothing was written. */
export class CallRefusal extends AppError {
  readonly kind: RefusalKind;
  /** Set for the kind `invalid`, and sometimes for `impossible`. */
  readonly issues: readonly Issue[];
  /** Minimum delay before a retry, for the kind `limited`. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: RefusalKind,
    code: string,
    detail: string,
    more: { issues?: readonly Issue[]; retryAfterMs?: number } = {},
  ) {
    super(code, detail, { retryable: kind === 'limited' || kind === 'unavailable' });
    this.kind = kind;
    this.issues = more.issues ?? [];
    this.retryAfterMs = more.retryAfterMs ?? null;
  }
}

export function invalidCall(issues: readonly Issue[]): CallRefusal {
  return new CallRefusal('invalid', 'validation_failed', 'The request is not valid.', { issues });
}
