import { statements } from './statements.ts';

/** What is known of a call before its log begins is event 0. */
export const firstCallEvents = statements(
  `alter table call_events
    drop constraint call_events_seq_check,
    add constraint call_events_seq_check check (seq >= 0) not valid`,
);
