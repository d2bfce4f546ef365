import { isUtf8 } from 'node:buffer';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import { MAX_BODY_VALUES } from '@calls/api-contract/validation/count-values';
import express, { type RequestHandler } from 'express';
import { bodyTooLarge, HttpProblem, unsupportedEncoding } from '../problems/problem.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const LINGER_MS = 2000;

/** Whether its JSON body is too large for a main thread: its bytes are read in another process (`bodyReader`). */
export function isLarge({ maxBodyBytes = MAX_BODY_BYTES }: AnyOperation): boolean {
  return maxBodyBytes > MAX_BODY_BYTES;
}

/**
 * Parses the body of an operation into `request.body`; a form with files stays bytes. Rejects other media types, JSON that
 * is not UTF-8, and compressed bodies of operations that take large ones: a few bytes would become much memory.
 */
export function bodyParsers(operation: AnyOperation): RequestHandler[] {
  const { body, otherBodies = {}, maxBodyBytes = MAX_BODY_BYTES } = operation;
  const types = [...(body ? ['application/json'] : []), ...Object.keys(otherBodies)];
  if (types.length === 0) return [];
  const limit = maxBodyBytes;
  return [
    requireOneOf(types),
    boundBody(limit),
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

/**
 * Answers 413 as soon as the body is known to be too large, by its announced length or by what has come of it: the parsers
 * answer when its sender has come to the end, which may be never. For a moment what still comes is read, so that a sender
 * finds the answer; then the connection is closed.
 */
export function boundBody(limit = MAX_BODY_BYTES): RequestHandler {
  return (request, _response, next) => {
    const refuse = (): void => {
      const timer = setTimeout(() => {
        if (!request.complete) request.socket.destroy();
      }, LINGER_MS);
      request.once('close', () => clearTimeout(timer));
      next(bodyTooLarge(limit));
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

/** What can't be decoded would be stored as other text than was sent. */
function assertUtf8(body: Buffer): void {
  if (isUtf8(body)) return;
  throw new HttpProblem(400, 'malformed_request', 'The request body is not valid UTF-8.');
}

function assertFewValues(body: Buffer): void {
  if (countsMore(body, MAX_BODY_VALUES)) {
    const detail = `The request body holds too many values; at most ${MAX_BODY_VALUES} are taken.`;
    throw new HttpProblem(413, 'too_large', detail);
  }
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/** By what stands before values, outside of texts. */
function countsMore(json: Buffer, most: number): boolean {
  let found = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at);
    else if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) found += 1;
  }
  return found > most;
}

/** Where the text that begins here has its closing quote. */
function endOfText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
