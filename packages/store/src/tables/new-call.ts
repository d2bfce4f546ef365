import type { AdmissionClass } from '@calls/api-contract/bus/created-call';
import { asJson, asStored } from '../as-json.ts';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import type { Database } from '../store.ts';
import { preparedStatement } from '../prepared-statement.ts';
import { callToolRows, type CallToolRow, type NewCallTool } from './call-tools.ts';
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
  requestDigest: string | null;
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

/** Columns of `calls` that a new call sets, with their types. */
const COLUMNS = {
  call_id: 'uuid',
  account_id: 'uuid',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  voice_id: 'uuid',
  metadata: 'jsonb',
  settings: 'jsonb',
  agent_id: 'uuid',
  agent_revision_id: 'uuid',
  agent_name: 'text',
  retention_policy: 'text',
  admission_class: 'text',
  free_seconds_reserved: 'integer',
  request_context: 'jsonb',
  throttle_id: 'uuid',
  prior_call_id: 'uuid',
  scheduled_batch_id: 'uuid',
  from_console: 'boolean',
  request_digest: 'text',
} as const;
const columns = Object.keys(COLUMNS).join(', ');
const typedColumns = Object.entries(COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

/** Inserts rows for the given calls into another table. `parameter`: the list of rows. */
const ofGiven = (table: string, names: readonly string[], parameter: string): string => `(
      insert into ${table} (${names.join(', ')}) select ${names.map((name) => `added.${name}`).join(', ')}
      from jsonb_populate_recordset(null::${table}, ${parameter}::jsonb) as added join given using (call_id))`;

const TOOL_COLUMNS: readonly (keyof CallToolRow)[] = [
  ...(['call_tool_id', 'account_id', 'call_id', 'stage_id'] as const),
  ...(['tool_index', 'tool_id', 'name', 'definition', 'sealed_auth'] as const),
];
const EVENT_COLUMNS: readonly (keyof CallEventRow)[] = [
  ...(['call_id', 'seq', 'stage_id', 'call_timestamp_ms'] as const),
  ...(['wall_clock_at', 'severity', 'type', 'text', 'extras'] as const),
];

/** Parameters: the calls, their tools and their first events. */
const insertWhere = (name: string, condition: string) =>
  preparedStatement<{ call_id: string }>(
    name,
    `with given as (
      select * from jsonb_to_recordset($1::jsonb) as given (
        ${typedColumns}, first_stage_id uuid, initial_message_count integer,
        outbox_id uuid, message jsonb, relay_after_s float8)
      where ${condition}
    ), call as (
      insert into calls (${columns}) select ${columns} from given
    ), stage as (
      insert into call_stages (stage_id, call_id, stage_index, created_at, initial_message_count, overrides)
      select first_stage_id, call_id, 0, created_at, initial_message_count, '{}' from given
    ), outgoing as (
      insert into outbox (outbox_id, topic, payload, due_at)
      select outbox_id, 'created_call', message, now() + make_interval(secs => relay_after_s)
      from given where outbox_id is not null
    ), tool as ${ofGiven('call_tools', TOOL_COLUMNS, '$2')},
    event as ${ofGiven('call_events', EVENT_COLUMNS, '$3')}
    select call_id from given`,
  );

const insertAll = insertWhere('insert_calls', 'true');
const insertUnsubscribed = insertWhere(
  'insert_unnotified_calls',
  // No webhook receives the start of the call.
  `not exists (
    select from webhooks w where w.account_id = given.account_id and 'call.started' = any(w.events)
      and (w.agent_id is null or w.agent_id = given.agent_id))`,
);

/**
 * Inserts each call, its first stage with tools, and its message atomically, all in one statement. Throws a unique violation
 * if a call with one of the ids exists; then none is inserted.
 */
export async function insertCalls(db: Database, calls: readonly NewCall[]): Promise<CallRow[]> {
  const { rows } = await insert(db, calls, insertAll);
  return rows;
}

/**
 * The same, but without calls whose start webhooks are subscribed to: notifications are written in the transaction of the
 * call. In the order of the calls; null for those that were not inserted.
 */
export async function insertUnnotifiedCalls(
  db: Database,
  calls: readonly NewCall[],
): Promise<(CallRow | null)[]> {
  const { rows, inserted } = await insert(db, calls, insertUnsubscribed);
  return rows.map((row) => (inserted.has(row.call_id) ? row : null));
}

/** `rows`: of all calls, as they are stored. */
async function insert(
  db: Database,
  calls: readonly NewCall[],
  statement: typeof insertAll,
): Promise<{ rows: CallRow[]; inserted: ReadonlySet<string> }> {
  const values = calls.map(valuesOf);
  const given = calls.map(({ firstStageId, settings, outbox }, index) => ({
    ...values[index],
    first_stage_id: firstStageId,
    initial_message_count: settings.initialMessages?.length ?? 0,
    ...(outbox && {
      outbox_id: outbox.outboxId,
      message: outbox.message,
      relay_after_s: outbox.delayMs / 1000,
    }),
  }));
  const tools = calls.flatMap((call) => callToolRows({ ...call, stageId: call.firstStageId }, call.tools));
  const notes = calls.flatMap(noteRows);
  const { rows: inserted } = await db.executeQuery(statement(asJson(given), asJson(tools), asJson(notes)));
  return {
    rows: values.map((each) => ({ ...NOT_YET, ...each })),
    inserted: new Set(inserted.map((row) => row.call_id)),
  };
}

function valuesOf(call: NewCall): Pick<CallRow, keyof typeof COLUMNS> {
  const { settings, agentName, requestContext } = asStored({
    settings: call.settings,
    agentName: call.agent?.name ?? null,
    requestContext: call.requestContext,
  });
  return {
    call_id: call.callId,
    account_id: call.accountId,
    created_at: call.createdAt,
    expires_at: call.expiresAt,
    voice_id: call.voiceId,
    metadata: settings.metadata,
    settings,
    agent_id: call.agent?.agentId ?? null,
    agent_revision_id: call.agent?.revisionId ?? null,
    agent_name: agentName,
    retention_policy: settings.retentionPolicy,
    admission_class: call.admissionClass,
    free_seconds_reserved: call.freeSecondsReserved,
    request_context: requestContext,
    throttle_id: call.throttleId,
    prior_call_id: call.priorCallId,
    scheduled_batch_id: call.scheduledBatchId,
    from_console: call.fromConsole,
    request_digest: call.requestDigest,
  };
}

/** The first events of the call precede those of its log, which start at 1. */
function noteRows({ callId, firstStageId, createdAt, notes }: NewCall): CallEventRow[] {
  return notes.map((note, index) => ({
    ...note,
    call_id: callId,
    seq: index + 1 - notes.length,
    stage_id: firstStageId,
    call_timestamp_ms: 0,
    wall_clock_at: createdAt,
  }));
}

/** Columns that a new call does not have yet. */
const NOT_YET = {
  joined_at: null,
  ended_at: null,
  end_reason: null,
  client_version: null,
  answered_by: null,
  worker_id: null,
  refused_at: null,
  dialled_at: null,
  provider_call_id: null,
  transfer_to: null,
  sip_dialled_at: null,
  sip_duration_ms: null,
  sip_billed_duration_ms: null,
  sip_termination: null,
  sip_log_key: null,
  sip_trunk_id: null,
  billing_status: 'BILLING_STATUS_PENDING',
  billed_duration_ms: null,
  side_input_tokens: null,
  side_output_tokens: null,
  short_summary: null,
  summary: null,
  analysis: null,
  analysis_labels: null,
  recording_key: null,
  recording_duration_ms: null,
  recording_bytes: null,
} as const;
