import { statements } from './statements.ts';

export const integrations = statements();
