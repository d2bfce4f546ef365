import type { AnyOperation } from '@calls/api-contract/operations/operation';
import { nodeOf } from './json-schema.ts';

/** Operations as rows of `it.each`: id and operation. */
export function rowsOf(operations: readonly AnyOperation[]): [string, AnyOperation][] {
  return operations.map((operation) => [operation.id, operation]);
}

/** Names of the query parameters of an operation. */
export function queryNamesOf({ query }: AnyOperation): string[] {
  return Object.keys((query && nodeOf(query).properties) ?? {});
}
