import type { AnyOperation } from './operation.ts';

export const toolOperations: AnyOperation[] = [];
