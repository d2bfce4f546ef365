import { statements } from './statements.ts';

export const agents = statements(
  `create table agents (
    agent_id uuid primary key,
    account_id uuid not null references accounts,
    name text not null,
    published_revision_id uuid,
    created_at timestamptz(3) not null,
    deleted_at timestamptz(3)
  )`,
  `create table agent_revisions (
    revision_id uuid primary key,
    agent_id uuid not null references agents,
    template jsonb not null,
    template_created_at timestamptz(3) not null,
    created_at timestamptz(3) not null
  )`,
  `alter table agents add foreign key (published_revision_id) references agent_revisions`,
  // The two sort orders of the list. A search scans only the account's agents.
  `create index agents_by_age on agents (account_id, created_at, agent_id) where deleted_at is null`,
  `create index agents_by_name on agents (account_id, name, agent_id) where deleted_at is null`,
  `create index agent_revisions_by_agent on agent_revisions (agent_id, created_at)`,
);
