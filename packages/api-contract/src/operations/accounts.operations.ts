import type { AnyOperation } from './operation.ts';

export const accountOperations: AnyOperation[] = [];
