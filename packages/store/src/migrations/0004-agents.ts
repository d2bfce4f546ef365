import { statements } from './statements.ts';

export const agents = statements();
