import { statements } from './statements.ts';

export const consoleCalls = statements(
  // Begun by a person in the console: free.
  'alter table calls add column from_console boolean not null default false',
);
