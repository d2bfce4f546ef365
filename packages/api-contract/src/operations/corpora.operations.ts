import type { AnyOperation } from './operation.ts';

export const corpusOperations: AnyOperation[] = [];
