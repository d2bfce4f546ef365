import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** A position in a trace, as in W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits, shared by everything that one request caused. */
  traceId: string;
  /** 16 hexadecimal digits: the span that caused the following operation. */
  spanId: string;
  /** Whether its spans are recorded. */
  sampled: boolean;
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?=-|$)/u;
const SAMPLED = 1;

/** The parsed `traceparent` of a message or request; null if it is invalid. */
export function parseTraceparent(text: string | undefined): TraceContext | null {
  const [, traceId, spanId, flags] = (text === undefined ? null : TRACEPARENT.exec(text)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function traceparentOf({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** A new position in the parent's trace, or the start of an unsampled trace. */
export function newTraceContext(parent: TraceContext | null): TraceContext {
  const spanId = randomDigits().slice(16);
  return parent ? { ...parent, spanId } : { traceId: randomDigits(), spanId, sampled: false };
}

/** 32 hexadecimal digits of a UUID: Node draws those from the system's random source many at a time. */
function randomDigits(): string {
  return randomUUID().replaceAll('-', '');
}

interface Scope {
  trace: TraceContext;
  callId: string | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Runs `run` and everything it starts at that position of a trace: messages carry it, and log lines name its
 * trace and call. With null, the current position is unchanged.
 */
export function runInTrace<T>(
  trace: TraceContext | null,
  run: () => T,
  callId: string | undefined = scopes.getStore()?.callId,
): T {
  return trace ? scopes.run({ trace, callId }, run) : run();
}

export function currentTrace(): TraceContext | null {
  return scopes.getStore()?.trace ?? null;
}

export function currentTraceparent(): string | undefined {
  const trace = currentTrace();
  return trace ? traceparentOf(trace) : undefined;
}

/** The trace fields of a log line; a new object each time. */
export function currentLogFields(): Record<string, string> {
  const scope = scopes.getStore();
  if (!scope) return {};
  const { trace, callId } = scope;
  return { traceId: trace.traceId, ...(callId !== undefined && { callId }) };
}
