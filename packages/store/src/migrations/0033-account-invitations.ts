import { statements } from './statements.ts';

/** Links with which the first user of an account gets a key. */
export const accountInvitations = statements(
  `create table account_invitations (
    account_id uuid primary key references accounts,
    key_name text not null,
    token_hash bytea not null unique,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  )`,
);
