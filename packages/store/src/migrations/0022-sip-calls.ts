import { statements } from './statements.ts';

/** The billed SIP time of a call is part of its facts. Other updates of a call do not run this trigger. */
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
