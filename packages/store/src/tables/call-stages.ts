import type { Selectable } from 'kysely';
import type { CallStageTable } from '../schema/call-stage.ts';
import type { Database } from '../store.ts';

export type CallStageRow = Selectable<CallStageTable>;

export function findCallStage(
  db: Database,
  callId: string,
  stageId: string,
): Promise<CallStageRow | undefined> {
  return db
    .selectFrom('call_stages')
    .selectAll()
    .where('call_id', '=', callId)
    .where('stage_id', '=', stageId)
    .executeTakeFirst();
}
