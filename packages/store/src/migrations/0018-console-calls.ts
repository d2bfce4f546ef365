import { statements } from './statements.ts';

export const consoleCalls = statements(
  // Started by a user in the console: free of charge.
  'alter table calls add column from_console boolean not null default false',
);
