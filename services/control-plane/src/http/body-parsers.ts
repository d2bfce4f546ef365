import { isUtf8 } from 'node:buffer';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import { MAX_BODY_BYTES, MAX_BODY_VALUES } from '@calls/foundation/schema/count-values';
import express, { type RequestHandler } from 'express';
import { bodyTooLarge, HttpProblem, unsupportedEncoding, uploadTooLarge } from '../problems/problem.ts';
import { isUpload } from '../uploads/multipart.ts';
import { REFUSAL_LINGER_MS } from './early-refusals.ts';

/** Whether the JSON body may be too large for the main thread. `bodyReader` then reads it in another process. */
export function isLarge({ maxBodyBytes = MAX_BODY_BYTES }: AnyOperation): boolean {
  return maxBodyBytes > MAX_BODY_BYTES;
}

/**
 * Parses the body of an operation into `request.body`; a form with files stays bytes. Rejects other media types, JSON
 * that is not UTF-8, and compressed bodies of operations with large bodies, because a few bytes could expand to much
 * memory.
 */
export function bodyParsers(operation: AnyOperation): RequestHandler[] {
  const { body, otherBodies = {}, maxBodyBytes = MAX_BODY_BYTES } = operation;
  const types = [...(body ? ['application/json'] : []), ...Object.keys(otherBodies)];
  if (types.length === 0) return [];
  const limit = maxBodyBytes;
  const { maxUploadBytes = limit } = operation;
  const limitSize = limitBodySize(limit);
  const limitUploadSize = limitBodySize(maxUploadBytes);
  return [
    requireOneOf(types),
    (request, response, next) => (isUpload(request) ? limitUploadSize : limitSize)(request, response, next),
    ...(body
      ? [
          isLarge(operation)
            ? express.raw({ limit, inflate: false, type: 'application/json' })
            : express.json({
                limit,
                strict: false,
                type: 'application/json',
                verify(_request, _response, bytes, encoding) {
                  if (encoding !== 'utf-8') throw unsupportedEncoding();
                  assertUtf8(bytes);
                  assertFewValues(bytes);
                },
              }),
        ]
      : []),
    ...('application/x-www-form-urlencoded' in otherBodies
      ? [express.urlencoded({ limit, extended: false, type: 'application/x-www-form-urlencoded' })]
      : []),
    ...('multipart/form-data' in otherBodies
      ? [express.raw({ limit: maxUploadBytes, type: 'multipart/form-data' })]
      : []),
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

/**
 * Responds 413 as soon as the body is known to be too large, by its declared length or the bytes received. The parsers
 * would respond only after the last byte. Keeps reading for a moment, so that the sender can read the response, then
 * closes the connection.
 */
export function limitBodySize(limit = MAX_BODY_BYTES): RequestHandler {
  return (request, _response, next) => {
    const refuse = (): void => {
      const timer = setTimeout(() => {
        if (!request.complete) request.socket.destroy();
      }, REFUSAL_LINGER_MS);
      request.once('close', () => clearTimeout(timer));
      next(isUpload(request) ? uploadTooLarge(limit) : bodyTooLarge(limit));
    };
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      refuse();
      return;
    }
    let leftBytes = limit;
    const count = (chunk: Buffer): void => {
      leftBytes -= chunk.length;
      if (leftBytes >= 0) return;
      request.off('data', count);
      refuse();
    };
    request.on('data', count);
    next();
  };
}

/** Undecodable bytes would be stored as different text. */
function assertUtf8(body: Buffer): void {
  if (isUtf8(body)) return;
  throw new HttpProblem(400, 'malformed_request', 'The request body is not valid UTF-8.');
}

function assertFewValues(body: Buffer): void {
  if (countsMore(body, MAX_BODY_VALUES)) {
    const detail = `The request body must have at most ${MAX_BODY_VALUES} values.`;
    throw new HttpProblem(413, 'too_large', detail);
  }
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** Counts the characters that precede values, outside of strings. */
function countsMore(json: Buffer, most: number): boolean {
  let found = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at);
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) found += 1;
  }
  return found > most;
}

/** Index of the closing quote of the string that starts here. */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
