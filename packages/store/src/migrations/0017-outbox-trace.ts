import { statements } from './statements.ts';

export const outboxTrace = statements(
  // The W3C `traceparent` of the operation that caused the message.
  'alter table outbox add column trace text',
);
