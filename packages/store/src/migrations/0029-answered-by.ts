import { statements } from './statements.ts';

/** What answered outgoing calls with answering machine detection. */
export const answeredBy = statements('alter table calls add column answered_by text');
