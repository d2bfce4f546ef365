import type { RequestHandler } from 'express';

const EXPOSED_HEADERS = [
  'Retry-After, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
  'X-Request-Id, Accept-Ranges, Content-Range, Content-Disposition, ETag',
].join(', ');
const PREFLIGHT_AGE_SECONDS = 600;

/**
 * Any page may call with `X-Unsafe-API-Key`, for demonstrations. Browsers may never send `X-API-Key`, because keys do
 * not belong in pages.
 */
export const cors: RequestHandler = (request, response, next) => {
  response.set('Access-Control-Allow-Origin', '*');
  response.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  if (request.method === 'OPTIONS' && request.get('Access-Control-Request-Method') !== undefined) {
    response.set('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
    response.set(
      'Access-Control-Allow-Headers',
      'X-Unsafe-API-Key, Content-Type, Idempotency-Key, Range, If-Range, If-None-Match',
    );
    response.set('Access-Control-Max-Age', String(PREFLIGHT_AGE_SECONDS));
    response.status(204).end();
    return;
  }
  next();
};
