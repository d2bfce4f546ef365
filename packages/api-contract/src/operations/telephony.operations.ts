import type { AnyOperation } from './operation.ts';

export const telephonyOperations: AnyOperation[] = [];
