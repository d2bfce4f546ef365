import { statements } from './statements.ts';

export const tools = statements();
