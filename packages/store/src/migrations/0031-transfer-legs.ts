import { statements } from './statements.ts';

/** Calls to the people of warm transfers. */
export const transferLegs = statements(
  `create table transfer_legs (
    leg_id uuid primary key,
    call_id uuid not null references calls on delete cascade,
    started_at timestamptz(3) not null,
    ended_at timestamptz(3),
    sip_trunk_id uuid
  )`,
  'create index transfer_legs_by_call on transfer_legs (call_id)',
  `create index transfer_legs_live_by_trunk on transfer_legs (sip_trunk_id)
    where ended_at is null and sip_trunk_id is not null`,
);
