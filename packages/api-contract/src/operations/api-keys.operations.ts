import type { AnyOperation } from './operation.ts';

export const apiKeyOperations: AnyOperation[] = [];
