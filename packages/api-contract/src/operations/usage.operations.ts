import type { AnyOperation } from './operation.ts';

export const usageOperations: AnyOperation[] = [];
