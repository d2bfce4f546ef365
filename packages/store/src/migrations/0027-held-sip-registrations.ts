import { statements } from './statements.ts';

/** Media workers hold registrations by leases. `version` changes with the settings, also by earlier releases. */
export const heldSipRegistrations = statements(
  `alter table sip_registrations
    add column last_error text check (length(last_error) <= 200),
    add column expires_at timestamptz(3),
    add column contact_user text not null default replace(gen_random_uuid()::text, '-', ''),
    add column version text not null generated always as (md5(
      username || E'\\x01' || sealed_password || E'\\x01' || proxy || E'\\x01' || coalesce(outbound_proxy, '') ||
      E'\\x01' || coalesce(auth_user, ''))) stored,
    add column held_by text,
    add column held_until timestamptz(3),
    add column epoch integer not null default 0`,
  `create index sip_registrations_by_holder on sip_registrations (held_by)`,
);
