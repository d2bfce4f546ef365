import type { ApiError } from '@calls/api-contract/rest/common';
import { BusUnavailableError } from '@calls/bus/bus-error';
import { CallRefusal } from '@calls/call-lifecycle/creation/refusal';
import { toError, unreachable } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { ValidationError, type Issue } from '@calls/foundation/schema/validator';
import { StorageError } from '@calls/object-storage/storage-error';
import { isStoreUnavailable } from '@calls/store/store-error';
import type { Metrics } from '@calls/telemetry/metrics';
import { WorkUnavailableError } from '@calls/untrusted-work/work-error';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { notJson } from '../problems/not-json.ts';
import {
  bodyTooLarge,
  HttpProblem,
  invalidRequest,
  limited,
  unavailable,
  unsupportedEncoding,
} from '../problems/problem.ts';
import { REFUSAL_LINGER_MS } from './early-refusals.ts';
import { requestIdOf } from './request-log.ts';

/**
 * Converts any thrown error to the API's error format. Unexpected errors are logged and get a 500 response;
 * requests refused by a limit are counted.
 */
export function errorHandler(log: Logger, metrics: Metrics): ErrorRequestHandler {
  const limitedRequests = metrics.counter({
    name: 'limited_requests_total',
    help: 'Requests rejected with 429, by error code',
    labels: ['code'],
  });
  const refused = new WeakSet<Response>();
  return (thrown: unknown, request, response, next) => {
    // The parser reports a body that is too large a second time.
    if (refused.has(response)) return;
    const problem = asProblem(thrown);
    if (problem.status === 429) limitedRequests.inc({ code: problem.code });
    if (problem.status >= 500) {
      const fields = { requestId: requestIdOf(response), err: toError(thrown) };
      if (problem.status === 500) log.error(fields, 'request failed unexpectedly');
      else log.warn(fields, 'request refused; dependency unavailable');
    }
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const body: ApiError = {
      detail: problem.message,
      code: problem.code,
      ...(problem.issues && { errors: [...problem.issues] }),
    };
    // Headers that describe the file that was not sent.
    for (const name of ['ETag', 'Last-Modified']) response.removeHeader(name);
    response.status(problem.status).set({ 'Cache-Control': 'no-store', ...problem.headers });
    refused.add(response);
    refuse(request, response, JSON.stringify(body));
  };
}

/**
 * Sends the response immediately, but ends it only when the whole request has arrived, or after a moment. The end may
 * close the connection, and clients that still send would then report a broken connection instead of the response.
 */
function refuse(request: Request, response: Response, json: string): void {
  response.type('json').set('Content-Length', String(Buffer.byteLength(json)));
  if (request.complete || request.method === 'HEAD') {
    response.end(json);
    return;
  }
  response.write(json);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, REFUSAL_LINGER_MS);
  request.once('end', end).once('close', end).resume();
}

function asProblem(thrown: unknown): HttpProblem {
  if (thrown instanceof HttpProblem) return thrown;
  if (thrown instanceof CallRefusal) return problemOf(thrown);
  if (thrown instanceof ValidationError) return invalidRequest('request', thrown.issues);
  if (thrown instanceof BusUnavailableError || isStoreUnavailable(thrown)) return unavailable();
  if (thrown instanceof StorageError && thrown.retryable) return unavailable();
  if (thrown instanceof WorkUnavailableError) return unavailable();
  switch (statusOf(thrown)) {
    case 413:
      // The decompressed body is too large. Bodies that are already too large when compressed are rejected before
      // parsing.
      return bodyTooLarge(limitOf(thrown));
    case 415:
      return unsupportedEncoding();
    case 412:
      return new HttpProblem(
        412,
        'precondition_failed',
        'The file does not meet the conditions of the request.',
      );
    case 416:
      return new HttpProblem(416, 'range_not_satisfiable', 'The range is outside the file.', {
        headers: headersOf(thrown),
      });
    case 400:
      return malformed(thrown);
    default:
      return new HttpProblem(500, 'internal', 'An internal error occurred.');
  }
}

function problemOf(refusal: CallRefusal): HttpProblem {
  switch (refusal.kind) {
    case 'invalid':
      return invalidRequest('request', refusal.issues);
    case 'limited':
      return limited(refusal.code, refusal.message, refusal.retryAfterMs ?? 1000);
    case 'unavailable':
      return unavailable();
    case 'payment':
      return new HttpProblem(402, refusal.code, refusal.message);
    case 'forbidden':
      return new HttpProblem(403, refusal.code, refusal.message);
    case 'impossible':
      return new HttpProblem(422, refusal.code, refusal.message, issuesOf(refusal));
    default:
      return unreachable(refusal.kind);
  }
}

function issuesOf({ issues }: CallRefusal): { issues?: readonly Issue[] } {
  return issues.length > 0 ? { issues } : {};
}

function malformed(thrown: unknown): HttpProblem {
  return new HttpProblem(400, 'malformed_request', malformedDetail(thrown));
}

/** The body parser's errors about JSON have a type, and those of decompression a number. */
function malformedDetail(thrown: unknown): string {
  if (thrown instanceof Error && 'type' in thrown && thrown.type === 'entity.parse.failed')
    return notJson(thrown);
  if (thrown instanceof Error && 'errno' in thrown)
    return `The request body does not match its Content-Encoding: ${thrown.message}.`;
  return 'The request is malformed.';
}

/** Body parsers report their limit. */
function limitOf(thrown: unknown): number {
  const limit = typeof thrown === 'object' && thrown !== null && 'limit' in thrown ? thrown.limit : undefined;
  return typeof limit === 'number' ? limit : 0;
}

/** The file server reports the length of the file. */
function headersOf(thrown: unknown): Record<string, string> {
  if (typeof thrown !== 'object' || thrown === null || !('headers' in thrown)) return {};
  const range: unknown = Object.entries(thrown.headers ?? {}).find(([name]) => name === 'Content-Range')?.[1];
  return typeof range === 'string' ? { 'Content-Range': range } : {};
}

/** Express, its body parser and its file server set the response status on their errors. */
function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('status' in thrown)) return undefined;
  return typeof thrown.status === 'number' ? thrown.status : undefined;
}
