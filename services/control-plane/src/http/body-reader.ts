import { setImmediate } from 'node:timers/promises';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import { requestNormalizer } from '@calls/api-contract/validation/request-normalizer';
import { textIssues } from '@calls/api-contract/validation/text-issues';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import { WorkRefusedError, WorkTooExpensiveError } from '@calls/untrusted-work/work-error';
import type { Response } from 'express';
import { HttpProblem, invalidRequest } from '../problems/problem.ts';
import type { BulkWork } from '../untrusted-work/bulk-work.ts';
import type { BodyPiece } from '../untrusted-work/read-large-body.ts';
import { isLarge } from './body-parsers.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Rules for a body beyond its schema. Their issues are reported together with those of the schema, so they must accept
 * any body.
 */
export interface BodyRules {
  issues(body: unknown, accountId: string): Issue[] | Promise<Issue[]>;
}

/** Reads and validates the body. Rejects with a problem that lists every issue. */
export interface BodyReader {
  read: (given: unknown, accountId: string, response: Response) => Promise<unknown>;
  /** Compiles the validator, which takes some 100 ms, before the first request. */
  compile: () => void;
}

/** Undefined if the operation has no body. */
export function bodyReader(
  operation: AnyOperation,
  rules: BodyRules,
  bulkWork: BulkWork,
): BodyReader | undefined {
  const { body: schema, id } = operation;
  if (!schema) return undefined;
  if (isLarge(operation)) {
    const read: BodyReader['read'] = async (given, accountId, response) => {
      const options = { owner: accountId, signal: closeSignal(response) };
      const body = await readLarge(bulkWork, id, given, options);
      const issues = await rules.issues(body, accountId);
      if (issues.length > 0) throw invalidRequest('request body', issues);
      return body;
    };
    return { read, compile: () => undefined };
  }
  const normalize = requestNormalizer(schema);
  const validator = compileValidator('request body', schema);
  const read: BodyReader['read'] = async (given, accountId) => {
    const { value, issues: spelling } = normalize(given);
    const issues = [
      ...spelling,
      ...validator.issues(value),
      ...textIssues(value),
      ...(await rules.issues(value, accountId)),
    ];
    if (issues.length > 0) throw invalidRequest('request body', issues);
    return value;
  };
  const compile = (): void => {
    normalize({});
    validator.compile();
  };
  return { read, compile };
}

/** Parses and validates in another process, and assembles the body from pieces, one per turn of the event loop. */
async function readLarge(
  bulkWork: BulkWork,
  operationId: string,
  given: unknown,
  options: { owner: string; signal: AbortSignal },
): Promise<unknown> {
  const bytes = Buffer.isBuffer(given) ? given : Buffer.from('{}');
  const pieces: BodyPiece[] = [];
  try {
    const { issues } = await bulkWork.run(
      'readLargeBody',
      { operationId },
      {
        ...options,
        chunks: chunksOf(bytes),
        onPiece: (piece) => void pieces.push(piece as BodyPiece),
      },
    );
    if (issues.length > 0) throw invalidRequest('request body', issues);
  } catch (thrown) {
    if (thrown instanceof WorkRefusedError) {
      throw new HttpProblem(thrown.code === 'too_large' ? 413 : 400, thrown.code, thrown.message);
    }
    if (thrown instanceof WorkTooExpensiveError) {
      throw invalidRequest('request body', [{ path: '', message: thrown.message }]);
    }
    throw thrown;
  }
  const body: Record<string, unknown> = {};
  for (const piece of pieces) {
    if ('value' in piece) body[piece.key] = JSON.parse(piece.value);
    else {
      const items = (body[piece.key] ??= []) as unknown[];
      items.push(...(JSON.parse(piece.items) as unknown[]));
    }
    await setImmediate();
  }
  return body;
}

function chunksOf(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES));
}

/** Aborts when the client closes the connection before it has the response. */
export function closeSignal(response: Response): AbortSignal {
  const abort = new AbortController();
  const onClose = (): void => {
    if (response.writableFinished) return;
    abort.abort(new HttpProblem(499, 'client_closed', 'The client closed the connection.'));
  };
  if (response.closed) onClose();
  else response.once('close', onClose);
  return abort.signal;
}
