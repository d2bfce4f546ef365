import { compileValidator, type Validator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';

/** The schema of each kind of job. */
const schemas = {
  /** Write the summaries of an ended call. */
  summarize_call: Type.Object({
    kind: Type.Literal('summarize_call'),
    callId: Type.String({ format: 'uuid' }),
  }),
  /** Analyze an ended call. `runId`: the request, which is in the database. */
  analyze_call: Type.Object({
    kind: Type.Literal('analyze_call'),
    callId: Type.String({ format: 'uuid' }),
    runId: Type.String({ format: 'uuid' }),
  }),
  /** Delete objects without references from the object storage. */
  delete_objects: Type.Object({
    kind: Type.Literal('delete_objects'),
    keys: Type.Array(Type.String(), { maxItems: 1000 }),
  }),
  /** Complete the objects of a call whose worker crashed. */
  finish_call_objects: Type.Object({
    kind: Type.Literal('finish_call_objects'),
    accountId: Type.String({ format: 'uuid' }),
    callId: Type.String({ format: 'uuid' }),
  }),
  /** Read the documents of a corpus source at its current revision. */
  load_corpus_source: Type.Object({
    kind: Type.Literal('load_corpus_source'),
    sourceId: Type.String({ format: 'uuid' }),
    revision: Type.Integer({ minimum: 1 }),
  }),
  /** Send a receiver of webhooks or callbacks its due deliveries, which are in the database. */
  serve_receiver: Type.Object({
    kind: Type.Literal('serve_receiver'),
    receiverId: Type.String({ format: 'uuid' }),
  }),
  /** The same for a receiver that has failed repeatedly; such receivers only delay each other. */
  serve_failing_receiver: Type.Object({
    kind: Type.Literal('serve_failing_receiver'),
    receiverId: Type.String({ format: 'uuid' }),
  }),
} as const satisfies Record<string, TSchema>;

export type JobKind = keyof typeof schemas;
export type Job = { [K in JobKind]: Static<(typeof schemas)[K]> }[JobKind];
export type JobOf<K extends JobKind> = Extract<Job, { kind: K }>;

export const JOB_KINDS = Object.keys(schemas) as readonly JobKind[];

const validators = new Map<string, Validator<Job>>(
  Object.entries(schemas).map(([kind, schema]) => [kind, compileValidator(`job ${kind}`, schema)]),
);

/** The payload as a job, or null if this version does not support it. */
export function parseJob(payload: unknown): Job | null {
  if (typeof payload !== 'object' || payload === null || !('kind' in payload)) return null;
  const validator = validators.get(String(payload.kind));
  if (!validator || validator.issues(payload).length > 0) return null;
  return validator.parse(payload);
}

export interface JobContext {
  jobId: string;
  /** 1 for the first. */
  attempt: number;
  /** A failure is final. */
  isLastAttempt: boolean;
  signal: AbortSignal;
}

/** A handler for each kind. It may run more than once per job, so it must be idempotent. */
export type JobHandlers = { [K in JobKind]: (job: JobOf<K>, context: JobContext) => Promise<void> };
