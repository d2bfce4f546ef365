import { statements } from './statements.ts';

/** Event 0 is an event recorded before the call's log begins. */
export const firstCallEvents = statements(
  `alter table call_events
    drop constraint call_events_seq_check,
    add constraint call_events_seq_check check (seq >= 0) not valid`,
);
