import { statements } from './statements.ts';

/** Filled in by the operator; the service only reads them. */
export const billing = statements(
  `alter table accounts
    add column payment_method text check (length(payment_method) between 1 and 200),
    add column billing_email text check (length(billing_email) between 3 and 254)`,
  `create table invoices (
    account_id uuid not null references accounts,
    invoice_number text not null check (length(invoice_number) between 1 and 100),
    invoiced_at timestamptz(3) not null,
    amount bigint not null check (abs(amount) <= 9007199254740991),
    billing_reason text not null check (billing_reason in
      ('manual', 'subscription_create', 'subscription_cycle', 'subscription_threshold', 'subscription_update')),
    status text not null check (status in ('paid', 'unpaid')),
    url text not null check (url ~ '^https?://[^[:space:]]+$' and length(url) <= 2048),
    primary key (account_id, invoice_number)
  )`,
  'create index invoices_by_time on invoices (account_id, invoiced_at desc, invoice_number desc)',
);
