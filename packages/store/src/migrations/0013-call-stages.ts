import { statements } from './statements.ts';

export const callStages = statements(
  `alter table call_stages
    add column began_at timestamptz(3),
    add column initial_message_count integer not null default 0 check (initial_message_count >= 0)`,
  // Existing calls have a single stage, which began with the call's own messages.
  `update call_stages set initial_message_count = jsonb_array_length(settings->'initialMessages')
    from calls
    where calls.call_id = call_stages.call_id and jsonb_typeof(settings->'initialMessages') = 'array'`,
);
