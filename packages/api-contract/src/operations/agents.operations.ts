import type { AnyOperation } from './operation.ts';

export const agentOperations: AnyOperation[] = [];
