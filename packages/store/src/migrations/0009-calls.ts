import { statements } from './statements.ts';

export const calls = statements();
