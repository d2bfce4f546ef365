import { statements } from './statements.ts';

/** What calls cost by SIP is counted with their other facts; no other update of a call is slowed by it. */
export const sipCalls = statements(
  `alter table calls
    add column sip_dialled_at timestamptz(3),
    add column sip_duration_ms integer,
    add column sip_billed_duration_ms integer,
    add column sip_termination text,
    add column sip_log_key text`,
  `alter table call_facts add column sip_billed_duration_ms integer`,
  `create function note_sip_bill() returns trigger language plpgsql as $$
  begin
    update call_facts set sip_billed_duration_ms = new.sip_billed_duration_ms where call_id = new.call_id;
    return null;
  end $$`,
  `create trigger call_facts_sip_billed after update of sip_billed_duration_ms on calls
    for each row execute function note_sip_bill()`,
);
