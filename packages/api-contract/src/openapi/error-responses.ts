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
    description:
      'The query or the body is not valid: `errors` lists each problem with its field. Other codes: `malformed_request` (not JSON in UTF-8), `voice_error` (the voice cannot speak), `empty_upload`.',
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
    'The account lacks the feature. Other codes: `role_not_allowed` (of the API key), `account_suspended`, `missing_scope` (of a call token), `api_key_required` (no call tokens here), `agent_not_allowed` (telephony webhook), `public_tool` and `public_voice` (read-only), `upload_url_expired` (5 min), `invalid_upload_url`, `invalid_url` (of SIP messages).',
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
    'The request conflicts with the state of a resource. Codes: `conflict` (a unique value is in use), `already_uploaded`, `call_live` (the call to delete did not end), `batch_ended`, `already_delivered`, `tests_required`, `too_many_test_runs`, `analysis_pending`, `too_many_analyses`, `last_administrator`; in the admin API `account_deleted` and `account_live` (it has live calls).',
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
    'The request is valid but cannot be carried out. Codes: `medium_not_available`, `no_voice`, `call_not_live` (the call is not joined), `not_analyzable`, `idempotency_key_used` (by another request, or its call is deleted), `revision_not_usable` (it names something deleted), `provider_key_missing` (voice cloning), `not_an_http_tool`, `call_token_required` (the tool needs the token of a call), `outbound_…` (the URL of the tool cannot be reached).',
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
    'A limit was exceeded; `Retry-After` says when to try again. Codes: `api_rate`, `call_creation_rate`, `throttle`, `concurrency` (live calls or voice previews), `trunk_concurrency` (live calls of a SIP trunk).',
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
