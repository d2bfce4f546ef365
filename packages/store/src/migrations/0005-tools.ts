import { statements } from './statements.ts';

export const tools = statements(
  // Public tools are visible to every account and have no account_id.
  `create table tools (
    tool_id uuid primary key,
    account_id uuid references accounts,
    name text not null,
    name_key text not null generated always as (lower(name)) stored,
    definition jsonb not null,
    created_at timestamptz(3) not null,
    unique (account_id, name)
  )`,
  `create table call_tools (
    call_tool_id uuid primary key,
    account_id uuid not null references accounts,
    call_id uuid not null references calls on delete cascade,
    stage_id uuid not null,
    tool_index integer not null check (tool_index >= 0),
    tool_id uuid,
    name text not null,
    definition jsonb not null,
    sealed_auth text,
    unique (call_id, stage_id, tool_index)
  )`,
  // The history of a tool, newest first: call ids are in the order of creation.
  `create index call_tools_by_tool on call_tools (account_id, tool_id, call_id desc) where tool_id is not null`,
);
