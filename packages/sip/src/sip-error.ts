import { AppError } from '@calls/foundation/errors';

export type SipErrorCode =
  | 'unreachable'
  | 'too_busy'
  | 'call_cancelled'
  | 'not_acknowledged'
  | 'invite_settled'
  | 'endpoint_closed';

export class SipError extends AppError {
  declare readonly code: SipErrorCode;

  constructor(code: SipErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
  }
}
