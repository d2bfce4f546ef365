import { statements } from './statements.ts';

export const scheduledBatches = statements();
