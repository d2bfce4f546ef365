import type { AnyOperation } from '@calls/api-contract';
import express, { type RequestHandler } from 'express';
import { HttpProblem } from './problem.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Makes `request.body` of what the operation takes; other media types are refused. Of forms with files the bytes are kept. */
export function bodyParsers(operation: AnyOperation): RequestHandler[] {
  const { body, otherBodies = {}, maxBodyBytes = MAX_BODY_BYTES } = operation;
  const types = [...(body ? ['application/json'] : []), ...Object.keys(otherBodies)];
  if (types.length === 0) return [];
  const limit = maxBodyBytes;
  return [
    requireOneOf(types),
    ...(body ? [express.json({ limit, strict: false, type: 'application/json' })] : []),
    ...('application/x-www-form-urlencoded' in otherBodies
      ? [express.urlencoded({ limit, extended: false, type: 'application/x-www-form-urlencoded' })]
      : []),
    ...('multipart/form-data' in otherBodies ? [express.raw({ limit, type: 'multipart/form-data' })] : []),
  ];
}

export function requireOneOf(types: readonly string[]): RequestHandler {
  const detail = `The request body must be ${types.join(' or ')}.`;
  return (request, _response, next) => {
    const hasBody =
      request.headers['transfer-encoding'] !== undefined ||
      Number(request.headers['content-length'] ?? 0) > 0;
    if (hasBody && request.is([...types]) === false) {
      throw new HttpProblem(415, 'unsupported_media_type', detail, { headers: { Connection: 'close' } });
    }
    next();
  };
}
