import { AppError, toError } from '@calls/foundation/errors';
import { runInTrace, type TraceContext } from '@calls/foundation/trace-context';

/** The allowed span attributes. A closed list: transcripts, secrets and phone numbers must not be recorded. */
export type SpanAttributes = Partial<{
  'call.id': string;
  'call.admission_class': string;
  'call.medium': string;
  'call.epoch': number;
  'call.end_reason': string;
  /** How the call ended on this worker. */
  'call.outcome': string;
  'call.event': string;
  /** `voice` or `text`. */
  'turn.medium': string;
  'account.id': string;
  'http.request.method': string;
  /** The pattern, not the path. */
  'http.route': string;
  'http.response.status_code': number;
  'messaging.destination.name': string;
  'job.kind': string;
  'job.attempt': number;
}>;

export interface SpanOptions {
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The parent; null for a root span. */
  parent?: TraceContext | null;
  /** Start time, if it began before now. */
  startedAtMs?: number;
  attributes?: SpanAttributes;
}

/** An operation with a duration, as part of a trace. */
export interface Span {
  /** Trace context for child operations. */
  readonly trace: TraceContext;
  set(attributes: SpanAttributes): void;
  /** Sets a name that is known late. */
  rename(name: string): void;
  /** Marks the span as failed, with the error's code but not its message. */
  fail(code: string): void;
  /** Ends the span; call it once. `atMs`: the end, if it was earlier. */
  end(atMs?: number): void;
}

/** Names are operations, of which there are few; details are attributes. */
export interface Tracing extends AsyncDisposable {
  start(name: string, options?: SpanOptions): Span;
}

/**
 * Runs `run` inside the span: its child spans, requests and logs belong to it; an exception marks it as failed.
 */
export async function inSpan<T>(
  tracing: Tracing,
  name: string,
  options: SpanOptions,
  run: (span: Span) => T | Promise<T>,
): Promise<T> {
  const span = tracing.start(name, options);
  try {
    return await runInTrace(span.trace, () => run(span), options.attributes?.['call.id']);
  } catch (thrown) {
    span.fail(codeOf(thrown));
    throw thrown;
  } finally {
    span.end();
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof AppError ? thrown.code : toError(thrown).name;
}
