import type { AnyOperation } from './operation.ts';

export const webhookOperations: AnyOperation[] = [];
