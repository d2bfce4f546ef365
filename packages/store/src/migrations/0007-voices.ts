import { statements } from './statements.ts';

export const voices = statements();
