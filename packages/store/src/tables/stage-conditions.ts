import { sql } from 'kysely';

/** Of a row of `call_stages`: that the call came into the stage. */
export const hasBegun = sql<boolean>`(stage_index = 0 or began_at is not null)`;

/** Of a row of `call_messages`: that it was said in its stage, not before it. */
export const isSaid = sql<boolean>`message_index >= (
  select initial_message_count from call_stages where call_stages.stage_id = call_messages.stage_id)`;
