import type { AnyOperation } from './operation.ts';

export const sipOperations: AnyOperation[] = [];
