import type { AnyOperation } from './operation.ts';

export const scheduledBatchOperations: AnyOperation[] = [];
