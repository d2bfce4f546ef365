import { statements } from './statements.ts';

/** Several events may precede the call's log; the last one is event 0. */
export const severalFirstEvents = statements(
  `alter table call_events
    drop constraint call_events_seq_check,
    add constraint call_events_seq_check check (seq > -10) not valid`,
);
