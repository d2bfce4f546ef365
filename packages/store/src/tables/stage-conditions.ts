import { sql } from 'kysely';

/** Whether the call has entered the stage. Applies to rows of `call_stages`. */
export const hasBegun = sql<boolean>`(stage_index = 0 or began_at is not null)`;

/** Whether the message was said in its stage, rather than carried over. Applies to rows of `call_messages`. */
export const isInCall = sql<boolean>`message_index >= (
  select initial_message_count from call_stages where call_stages.stage_id = call_messages.stage_id)`;
