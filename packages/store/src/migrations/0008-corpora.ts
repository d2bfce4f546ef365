import { statements } from './statements.ts';

export const corpora = statements();
