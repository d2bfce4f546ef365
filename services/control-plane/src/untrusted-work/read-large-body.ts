import { isUtf8 } from 'node:buffer';
import { operations } from '@calls/api-contract/operations';
import { requestNormalizer, type RequestNormalizer } from '@calls/api-contract/validation/request-normalizer';
import { textIssues } from '@calls/api-contract/validation/text-issues';
import { AppError } from '@calls/foundation/errors';
import { hasMoreValuesThan, MAX_BODY_VALUES } from '@calls/foundation/schema/count-values';
import { MAX_ISSUES, compileValidator, type Issue, type Validator } from '@calls/foundation/schema/validator';
import { notJson } from '../problems/not-json.ts';

const MAX_VALUES = 500_000;
const MAX_ITEM_CHARACTERS = 1024 * 1024;
const PIECE_CHARACTERS = 128 * 1024;
/** A piece of a valid body that is small enough for the main thread: a member, or some items of a list member. */
export type BodyPiece = { key: string; value: string } | { key: string; items: string };

interface Rules {
  normalize: RequestNormalizer;
  validator: Validator<unknown>;
}
const known = new Map<string, Rules>();

function rulesOf(operationId: string): Rules {
  const compiled = known.get(operationId);
  if (compiled) return compiled;
  const body = operations.find(({ id }) => id === operationId)?.body;
  if (!body) throw new Error(`unknown operation, or operation without a body: ${operationId}`);
  const rules = { normalize: requestNormalizer(body), validator: compileValidator('request body', body) };
  known.set(operationId, rules);
  return rules;
}

/**
 * Parses and validates the JSON body of an operation. If it is valid, emits it in pieces with values as JSON; otherwise
 * returns its issues. Throws an AppError if it is not JSON (`malformed_request`) or has too many values (`too_large`).
 */
export function readLargeBody(
  { operationId }: { operationId: string },
  emit: (piece: BodyPiece) => void,
  chunks: readonly Uint8Array[],
): { issues: Issue[] } {
  const { normalize, validator } = rulesOf(operationId);
  const { value: body, issues: spelling } = normalize(parse(Buffer.concat(chunks)));
  const issues = [...spelling, ...validator.issues(body), ...textIssues(body)];
  if (issues.length === 0) issues.push(...itemIssues(body));
  if (issues.length > 0) return { issues: issues.slice(0, MAX_ISSUES) };
  for (const [key, value] of Object.entries(body as object)) emitMember(key, value, emit);
  return { issues };
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new AppError('malformed_request', 'The request body is not valid UTF-8.');
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch (thrown) {
    throw new AppError('malformed_request', notJson(thrown));
  }
  if (!hasMoreValuesThan(body, MAX_VALUES)) return body;
  throw new AppError('too_large', `The request body must have at most ${MAX_VALUES} values.`);
}

/** The main thread handles each item in one piece. */
function itemIssues(body: unknown): Issue[] {
  const issues: Issue[] = [];
  for (const [key, value] of Object.entries(body as object)) {
    const items: [string, unknown][] = Array.isArray(value)
      ? value.map((item: unknown, index) => [`${key}.${index}`, item])
      : [[key, value]];
    for (const [path, item] of items) {
      if (hasMoreValuesThan(item, MAX_BODY_VALUES)) {
        issues.push({ path, message: `must have at most ${MAX_BODY_VALUES} values` });
      } else if (JSON.stringify(item).length > MAX_ITEM_CHARACTERS) {
        issues.push({ path, message: 'must be at most 1 MiB of JSON' });
      }
      if (issues.length === MAX_ISSUES) return issues;
    }
  }
  return issues;
}

function emitMember(key: string, value: unknown, emit: (piece: BodyPiece) => void): void {
  if (!Array.isArray(value)) {
    emit({ key, value: JSON.stringify(value) });
    return;
  }
  let items: string[] = [];
  let characters = 0;
  const flush = (): void => emit({ key, items: `[${items.join(',')}]` });
  for (const item of value as unknown[]) {
    const text = JSON.stringify(item);
    if (items.length > 0 && characters + text.length > PIECE_CHARACTERS) {
      flush();
      items = [];
      characters = 0;
    }
    items.push(text);
    characters += text.length;
  }
  flush();
}
