import { statements } from './statements.ts';

export const webhookDeliveries = statements(
  `alter table webhooks add column consecutive_failures integer not null default 0`,

  // No foreign keys: deliveries outlive their call, and inserting one takes no lock on the account.
  `create table webhook_deliveries (
    delivery_id uuid primary key,
    account_id uuid not null,
    receiver_id uuid not null,
    webhook_id uuid,
    call_id uuid,
    event text not null,
    step smallint not null,
    url text not null,
    content text,
    status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
    attempts integer not null default 0,
    tries_left integer not null,
    created_at timestamptz(3) not null default now(),
    due_at timestamptz(3) not null default now(),
    give_up_at timestamptz(3) not null,
    held_until timestamptz(3),
    trace text,
    last_attempt_at timestamptz(3),
    last_failure text,
    finished_at timestamptz(3),
    check ((status = 'pending') = (finished_at is null))
  ) with (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.05
  )`,
  // The next deliveries of a receiver.
  `create index webhook_deliveries_due on webhook_deliveries (receiver_id, due_at, delivery_id)
    where status = 'pending'`,
  // Each receiver gets an event of a call once. Also finds the deliveries of one call.
  `create unique index webhook_deliveries_of_call on webhook_deliveries (call_id, event, receiver_id)`,
  `create index webhook_deliveries_listed on webhook_deliveries (account_id, delivery_id)`,
  // Pending and dead deliveries, however many were delivered.
  `create index webhook_deliveries_owed on webhook_deliveries (account_id, delivery_id)
    where status <> 'delivered'`,
  `create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id) where webhook_id is not null`,
  `create index webhook_deliveries_finished on webhook_deliveries (finished_at) where status <> 'pending'`,
);
