import { isUtf8 } from 'node:buffer';
import { operations } from '@calls/api-contract/operations';
import { requestNormalizer, type RequestNormalizer } from '@calls/api-contract/validation/request-normalizer';
import { textFaults } from '@calls/api-contract/validation/text-faults';
import { AppError } from '@calls/foundation/errors';
import { holdsMore, MAX_BODY_VALUES } from '@calls/foundation/schema/count-values';
import { compileValidator, type Issue, type Validator } from '@calls/foundation/schema/validator';

const MAX_VALUES = 500_000;
const MAX_ITEM_CHARACTERS = 1024 * 1024;
const PIECE_CHARACTERS = 128 * 1024;
const MAX_FAULTS = 50;

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
): { faults: Issue[] } {
  const { normalize, validator } = rulesOf(operationId);
  const { value: body, faults: spelling } = normalize(parse(Buffer.concat(chunks)));
  const faults = [...spelling, ...validator.issues(body), ...textFaults(body)];
  if (faults.length === 0) faults.push(...itemFaults(body));
  if (faults.length > 0) return { faults: faults.slice(0, MAX_FAULTS) };
  for (const [key, value] of Object.entries(body as object)) emitMember(key, value, emit);
  return { faults };
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new AppError('malformed_request', 'The request body is not valid UTF-8.');
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new AppError('malformed_request', 'The request is malformed.');
  }
  if (!holdsMore(body, MAX_VALUES)) return body;
  throw new AppError('too_large', `The request body must have at most ${MAX_VALUES} values.`);
}

/** The main thread handles each item in one piece. */
function itemFaults(body: unknown): Issue[] {
  const faults: Issue[] = [];
  for (const [key, value] of Object.entries(body as object)) {
    const items: [string, unknown][] = Array.isArray(value)
      ? value.map((item: unknown, index) => [`${key}.${index}`, item])
      : [[key, value]];
    for (const [path, item] of items) {
      if (holdsMore(item, MAX_BODY_VALUES)) {
        faults.push({ path, message: `must have at most ${MAX_BODY_VALUES} values` });
      } else if (JSON.stringify(item).length > MAX_ITEM_CHARACTERS) {
        faults.push({ path, message: 'must be at most 1 MiB of JSON' });
      }
      if (faults.length === MAX_FAULTS) return faults;
    }
  }
  return faults;
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
