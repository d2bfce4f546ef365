import { AppError } from '@calls/foundation/errors';
import { isJsonObject } from '@calls/foundation/json-object';
import { inlineReferences } from '@calls/foundation/schema/inline-references';
import { parse } from 'yaml';

/** Why an OpenAPI document cannot be converted to a tool. */
export class OpenApiError extends AppError {
  constructor(reason: string) {
    super('unusable_document', reason);
  }
}

export type JsonMap = Record<string, unknown>;

export function mapAt(from: unknown, key: string): JsonMap {
  const value = isJsonObject(from) && Object.hasOwn(from, key) ? from[key] : undefined;
  return isJsonObject(value) ? value : {};
}

export function listAt(from: unknown, key: string): unknown[] | undefined {
  const value = isJsonObject(from) && Object.hasOwn(from, key) ? from[key] : undefined;
  return Array.isArray(value) ? value : undefined;
}

export function textAt(from: unknown, key: string): string | undefined {
  const value = isJsonObject(from) && Object.hasOwn(from, key) ? from[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Reads JSON or YAML of OpenAPI 3.0 or 3.1. */
export function readDocument(bytes: Buffer): JsonMap {
  const document = parseText(bytes.toString('utf8'));
  const version = textAt(document, 'openapi') ?? '';
  if (!isJsonObject(document) || !/^3\.[01]\./u.test(`${version}.`)) {
    throw new OpenApiError('must be an OpenAPI document of version 3.0 or 3.1');
  }
  return document;
}

function parseText(text: string): unknown {
  try {
    // JSON.parse is faster than the YAML parser, which also accepts JSON.
    return JSON.parse(text) as unknown;
  } catch {
    try {
      return parse(text, { maxAliasCount: 100, logLevel: 'error' }) as unknown;
    } catch {
      throw new OpenApiError('must be JSON or YAML');
    }
  }
}

/** Copies a part of the document, with references replaced by their targets. Throws an OpenApiError. */
export function resolvedPart(document: JsonMap, part: unknown): unknown {
  return inlineReferences(document, part, (problem) => new OpenApiError(problem));
}
