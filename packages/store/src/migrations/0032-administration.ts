import { statements } from './statements.ts';

/** Own limits, suspension and deletion of accounts, and the log of what administrators did. */
export const administration = statements(
  `alter table accounts
    add column limits jsonb not null default '{}',
    add column suspended_at timestamptz(3),
    add column suspension_reason text,
    add column deleted_at timestamptz(3)`,
  'create index accounts_by_creation on accounts (created_at, account_id)',
  `create table audit_log (
    entry_id uuid primary key,
    at timestamptz(3) not null,
    administrator text not null,
    action text not null,
    account_id uuid not null,
    api_key_prefix text,
    changes jsonb not null,
    source_address text not null,
    request_id uuid not null
  )`,
  'create index audit_log_by_time on audit_log (at, entry_id)',
  'create index audit_log_by_account on audit_log (account_id, at, entry_id)',
  `create function refuse_audit_log_update() returns trigger language plpgsql as
    $$ begin raise exception 'entries of the audit log never change'; end $$`,
  `create trigger audit_log_never_changes before update on audit_log
    for each row execute function refuse_audit_log_update()`,
);
