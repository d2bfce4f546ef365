import type { ApiError } from '../rest/common.ts';

interface ErrorResponse {
  readonly name: string;
  readonly description: string;
  readonly example: ApiError;
}

const error = (name: string, description: string, code: string, detail: string): ErrorResponse => ({
  name,
  description,
  example: { detail, code },
});

/** Descriptions and examples of error statuses. */
export const ERROR_RESPONSES: Readonly<Record<number, ErrorResponse>> = {
  400: {
    name: 'InvalidRequest',
    description: 'The query or the body is not valid. `errors` lists each problem with its field.',
    example: {
      detail: 'The request body is not valid: temperature: must be <= 1 (got 2).',
      code: 'validation_failed',
      errors: [{ path: 'temperature', message: 'must be <= 1 (got 2)' }],
    },
  },
  401: error(
    'Unauthorized',
    'The key, call token or signature is missing or not valid.',
    'unauthorized',
    'A valid API key is required in the X-API-Key header.',
  ),
  402: error(
    'FreeTimeExhausted',
    'No free time is left. `detail` says how much of it live calls reserve.',
    'free_time_exhausted',
    'No free time is left.',
  ),
  403: error(
    'Forbidden',
    'The account lacks the feature, or the call token lacks the scope.',
    'feature_not_enabled',
    'The feature sip is not enabled for this account.',
  ),
  404: error(
    'NotFound',
    'The resource does not exist or belongs to another account.',
    'not_found',
    'Call not found.',
  ),
  409: error(
    'Conflict',
    'The request conflicts with the state of a resource.',
    'conflict',
    'The name is in use.',
  ),
  413: error(
    'TooLarge',
    'The request body is too large.',
    'too_large',
    'The request body must be at most 1 MiB.',
  ),
  415: error(
    'UnsupportedMediaType',
    'The media type or the encoding of the body is not supported.',
    'unsupported_media_type',
    'The request body must be JSON.',
  ),
  416: error(
    'RangeNotSatisfiable',
    'The range is outside the content.',
    'range_not_satisfiable',
    'The range is outside the file.',
  ),
  422: error(
    'NotPossible',
    'The request is valid but cannot be carried out now.',
    'call_not_live',
    'The call is not live.',
  ),
  425: error(
    'TooEarly',
    'The content is not ready. `Retry-After` says when to try again.',
    'call_not_ended',
    'The call has not ended.',
  ),
  429: error(
    'LimitExceeded',
    'A limit was exceeded. `code` names it, and `Retry-After` says when to try again.',
    'concurrency',
    'The plan allows 5 calls at the same time.',
  ),
  431: error(
    'HeadersTooLarge',
    'The request headers are larger than 16 KiB.',
    'headers_too_large',
    'The request headers must be at most 16 KiB.',
  ),
  503: error(
    'Unavailable',
    'A part of the service is unavailable. `Retry-After` says when to try again.',
    'unavailable',
    'The service is temporarily unavailable; try again.',
  ),
};
