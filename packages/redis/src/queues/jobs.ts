import { compileValidator, type Validator } from '@calls/api-contract/validation/validator';
import { Type, type Static, type TSchema } from 'typebox';

/** Everything the dispatcher may be asked to do. One schema a kind. */
const schemas = {
  /** Write the summaries of an ended call. */
  summarize_call: Type.Object({
    kind: Type.Literal('summarize_call'),
    callId: Type.String({ format: 'uuid' }),
  }),
  /** Delete what no row refers to any more from the object storage. */
  delete_objects: Type.Object({
    kind: Type.Literal('delete_objects'),
    keys: Type.Array(Type.String(), { maxItems: 1000 }),
  }),
  /** Make whole what a worker that died left of a call in the object storage. */
  finish_call_objects: Type.Object({
    kind: Type.Literal('finish_call_objects'),
    accountId: Type.String({ format: 'uuid' }),
    callId: Type.String({ format: 'uuid' }),
  }),
  /** Read the documents of a source of a corpus, as its revision has them. */
  load_corpus_source: Type.Object({
    kind: Type.Literal('load_corpus_source'),
    sourceId: Type.String({ format: 'uuid' }),
    revision: Type.Integer({ minimum: 1 }),
  }),
  /** Tell a receiver of webhooks or callbacks what it is to be told by now. What that is the database knows. */
  serve_receiver: Type.Object({
    kind: Type.Literal('serve_receiver'),
    receiverId: Type.String({ format: 'uuid' }),
  }),
  /** The same, of one that has failed again and again: such wait for each other, and for nobody else. */
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

/** The payload as a job, or null where it is none that this version knows. */
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
  signal: AbortSignal;
}

/** A handler for each kind. It may run more than once for the same job, so what it does must be safe to repeat. */
export type JobHandlers = { [K in JobKind]: (job: JobOf<K>, context: JobContext) => Promise<void> };
