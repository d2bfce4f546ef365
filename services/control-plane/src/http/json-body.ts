import express, { type RequestHandler } from 'express';
import { HttpProblem } from './problem.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && request.is('application/json') === false) {
    throw new HttpProblem(415, 'unsupported_media_type', 'The request body must be application/json.', {
      headers: { Connection: 'close' },
    });
  }
  next();
};

/** `request.body` as parsed JSON; an empty body counts as `{}`. */
export const jsonBody: RequestHandler[] = [
  requireJson,
  express.json({ limit: MAX_BODY_BYTES, strict: false, type: 'application/json' }),
];

export function bodyOf(request: { body?: unknown }): unknown {
  return request.body === undefined ? {} : request.body;
}
