import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import { currentTrace, runInTrace } from '@calls/foundation/trace-context';
import { inSpan, type Tracing } from '@calls/telemetry/tracing/span';

/** Applies an event within its call's trace. Frequent events get no span of their own. */
export function applyTraced(
  tracing: Tracing,
  { callId, body }: CallLogEntry,
  apply: () => Promise<void>,
): Promise<void> {
  if (body.type === 'message_added' || body.type === 'noted')
    return runInTrace(currentTrace(), apply, callId);
  const attributes = { 'call.id': callId, 'call.event': body.type };
  return inSpan(tracing, 'apply call event', { kind: 'consumer', attributes }, apply);
}
