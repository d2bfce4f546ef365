import type { AnyOperation } from './operation.ts';

export const deletedCallOperations: AnyOperation[] = [];
