import type { Issue } from '@calls/api-contract/validation/validator';
import { AppError } from '@calls/foundation/errors';

/**
 * Why a call can't be created: `invalid` the request breaks a rule; `payment` the free time is used up; `forbidden` the
 * account hasn't the feature; `impossible` valid, and not possible here or now; `limited` too many, later it may be;
 * `unavailable` what we depend on is away.
 */
export type RefusalKind = 'invalid' | 'payment' | 'forbidden' | 'impossible' | 'limited' | 'unavailable';

/** A call that was not created; nothing was written. */
export class CallRefusal extends AppError {
  readonly kind: RefusalKind;
  /** What is wrong, where the kind is `invalid`; where it is `impossible`, there may be some. */
  readonly issues: readonly Issue[];
  /** Soonest time at which another try makes sense, where the kind is `limited`. */
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
