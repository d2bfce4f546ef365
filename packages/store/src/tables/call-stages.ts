import { sql, type Selectable } from 'kysely';
import { pagesOf, type PageSource } from '../keyset.ts';
import type { CallStageTable } from '../schema/call-stage.ts';
import type { Database } from '../store.ts';

export type CallStageRow = Selectable<CallStageTable> & {
  /** Events of engines and tools that failed, and of errors. */
  error_count: number;
};

function stages(db: Database, callId: string) {
  return db
    .selectFrom('call_stages')
    .selectAll('call_stages')
    .select(
      sql<number>`(select count(*) from call_events where call_events.call_id = call_stages.call_id
        and call_events.stage_id = call_stages.stage_id
        and (severity = 'error' or type like '%\\_fault'))`.as('error_count'),
    )
    .where('call_id', '=', callId);
}

export function findCallStage(
  db: Database,
  callId: string,
  stageId: string,
): Promise<CallStageRow | undefined> {
  return stages(db, callId).where('stage_id', '=', stageId).executeTakeFirst();
}

/** In the order in which they began. */
export function stagesOf(db: Database, callId: string): PageSource<CallStageRow> {
  return pagesOf(stages(db, callId), {
    by: ['stage_index'],
    direction: 'asc',
    keyOf: (row) => [row.stage_index],
  });
}
