import type { AdmissionClass } from '@calls/api-contract/bus/created-call';
import { sql } from 'kysely';
import { asJson } from '../as-json.ts';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import type { Database } from '../store.ts';
import { callToolRows, type NewCallTool } from './call-tools.ts';
import type { CallEventRow } from './call-events.ts';
import type { CallRow } from './calls.ts';

export type FirstEvent = Pick<CallEventRow, 'severity' | 'type' | 'text' | 'extras'>;

export interface NewCall {
  callId: string;
  accountId: string;
  firstStageId: string;
  createdAt: Date;
  expiresAt: Date;
  voiceId: string | null;
  settings: CallSettings;
  /** Tools of the first stage, in order. */
  tools: readonly NewCallTool[];
  /** First events of the call, before those of its log; at most 10. */
  notes: readonly FirstEvent[];
  admissionClass: AdmissionClass;
  freeSecondsReserved: number | null;
  agent: { agentId: string; revisionId: string | null; name: string } | null;
  /** Any JSON value; null for none. */
  requestContext: unknown;
  throttleId: string | null;
  priorCallId: string | null;
  scheduledBatchId: string | null;
  fromConsole: boolean;
  /** The created-call message; null if it is delivered without the outbox. */
  outbox: NewCallMessage | null;
}

export interface NewCallMessage {
  outboxId: string;
  /** How long the relay ignores the row, so that its writer can send the message. */
  delayMs: number;
  /** The message, as it may be stored. */
  message: unknown;
}

/**
 * Inserts the call, its first stage with tools, and its message atomically, in one statement. Throws a unique
 * violation if a call with this id exists.
 */
export function insertCall(db: Database, call: NewCall): Promise<CallRow> {
  const insert = db
    .with('call', (cte) =>
      cte
        .insertInto('calls')
        .values({
          call_id: call.callId,
          account_id: call.accountId,
          created_at: call.createdAt,
          expires_at: call.expiresAt,
          voice_id: call.voiceId,
          metadata: asJson(call.settings.metadata),
          settings: asJson(call.settings),
          agent_id: call.agent?.agentId ?? null,
          agent_revision_id: call.agent?.revisionId ?? null,
          agent_name: call.agent?.name ?? null,
          retention_policy: call.settings.retentionPolicy,
          admission_class: call.admissionClass,
          free_seconds_reserved: call.freeSecondsReserved,
          request_context: call.requestContext === null ? null : asJson(call.requestContext),
          throttle_id: call.throttleId,
          prior_call_id: call.priorCallId,
          scheduled_batch_id: call.scheduledBatchId,
          from_console: call.fromConsole,
        })
        .returningAll(),
    )
    .with('stage', (cte) =>
      cte.insertInto('call_stages').values({
        stage_id: call.firstStageId,
        call_id: call.callId,
        stage_index: 0,
        created_at: call.createdAt,
        initial_message_count: call.settings.initialMessages?.length ?? 0,
        overrides: '{}',
      }),
    );
  const { outbox } = call;
  const withMessage = outbox
    ? insert.with('message', (cte) =>
        cte.insertInto('outbox').values({
          outbox_id: outbox.outboxId,
          topic: 'created_call',
          payload: asJson(outbox.message),
          due_at: sql<Date>`now() + make_interval(secs => ${outbox.delayMs / 1000})`,
        }),
      )
    : insert;
  const { callId, accountId, firstStageId: stageId } = call;
  const tools = callToolRows({ accountId, callId, stageId }, call.tools);
  const withTools =
    tools.length === 0
      ? withMessage
      : withMessage.with('tools', (cte) => cte.insertInto('call_tools').values(tools));
  const notes = call.notes.map((note, index) => ({
    ...note,
    extras: note.extras && asJson(note.extras),
    call_id: callId,
    seq: index + 1 - call.notes.length,
    stage_id: stageId,
    call_timestamp_ms: 0,
    wall_clock_at: call.createdAt,
  }));
  const withNotes =
    notes.length === 0
      ? withTools
      : withTools.with('notes', (cte) => cte.insertInto('call_events').values(notes));
  return withNotes.selectFrom('call').selectAll().executeTakeFirstOrThrow();
}
