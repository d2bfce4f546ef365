import { AppError, toError } from '@calls/foundation/errors';
import { runInTrace, type TraceContext } from '@calls/foundation/trace-context';

/**
 * All that may be said of a span. A closed list: no word that was said, no secret, no number that was dialled has a key here,
 * and none may be put under one of these.
 */
export type SpanAttributes = Partial<{
  'call.id': string;
  'call.admission_class': string;
  'call.medium': string;
  'call.epoch': number;
  'call.end_reason': string;
  /** How it left its worker. */
  'call.fate': string;
  'call.event': string;
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
  /** What caused it; null: the first of a trace. The current place where it is left out. */
  parent?: TraceContext | null;
  /** Where it began before now. */
  startedAtMs?: number;
  attributes?: SpanAttributes;
}

/** Something that takes time, as a part of a trace. */
export interface Span {
  /** What it causes has this place for its parent. */
  readonly trace: TraceContext;
  set(attributes: SpanAttributes): void;
  /** Where the name is known only now. */
  rename(name: string): void;
  /** It went wrong: says so, and the error's code. Of the error's words nothing. */
  fail(code: string): void;
  /** Once. `atMs`: where it ended before now. */
  end(atMs?: number): void;
}

/** Names are those of operations, of which there are few; what differs goes into attributes. */
export interface Tracing extends AsyncDisposable {
  start(name: string, options?: SpanOptions): Span;
}

/** Runs `run` as that span: what it starts, sends and logs belongs to it; what it throws makes it fail. */
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

export function codeOf(thrown: unknown): string {
  return thrown instanceof AppError ? thrown.code : toError(thrown).name;
}
