import { statements } from './statements.ts';

/** Analyses of ended calls: the requested ones, the results, and what lists find them by. */
export const callAnalyses = statements(
  // `analysis` has the form of the API. `analysis_labels`: a map of texts.
  `alter table calls add column analysis jsonb, add column analysis_labels jsonb`,
  `create table call_analysis_requests (
    call_id uuid primary key references calls on delete cascade,
    run_id uuid not null,
    account_id uuid not null,
    due_at timestamptz(3) not null
  )`,
  'create index call_analysis_requests_due on call_analysis_requests (due_at)',
  'create index call_analysis_requests_by_account on call_analysis_requests (account_id)',

  // Digests by `call_label`, in their own column: other updates of a call do not run this trigger.
  `alter table call_facts add column analysis_labels bigint[]`,
  `create index call_facts_by_analysis on call_facts using gin (analysis_labels) with (fastupdate = off)
    where analysis_labels is not null`,
  `create function note_analysis() returns trigger language plpgsql as $$
  begin
    update call_facts set analysis_labels = (
      select array_agg(call_label(new.account_id, key, value)) from jsonb_each_text(new.analysis_labels)
    ) where call_id = new.call_id;
    return null;
  end $$`,
  `create trigger call_facts_analyzed after update of analysis_labels on calls
    for each row execute function note_analysis()`,
  `create function bury_analysis() returns trigger language plpgsql as $$
  begin
    update call_facts set analysis_labels = null where call_id = old.call_id and analysis_labels is not null;
    return null;
  end $$`,
  `create trigger call_facts_analysis_buried after delete on calls
    for each row execute function bury_analysis()`,
);
