import type { ApiClient } from '@calls/api-client';
import { durationToMs } from '@calls/api-contract/duration';
import { delay, type Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import { CallRecorder, type CallRecord } from '../call/call-record.ts';
import { allItems, dataOf } from '../cli/service.ts';

/** Time limit from the end of a call until the service has stored all of it. */
const STORE_LIMIT_MS = 60_000;
const PAUSE_MS = 250;

/** What happened in an ended call, from its messages, stages and events. */
export async function recordOf(client: ApiClient, callId: string, clock: Clock): Promise<CallRecord> {
  const path = { call_id: callId };
  const call = await storedCall(client, callId, clock);
  const [stages, messages, events] = await Promise.all([
    allItems((query) => client.GET('/api/calls/{call_id}/stages', { params: { path, query } })),
    allItems((query) =>
      client.GET('/api/calls/{call_id}/messages', { params: { path, query: { ...query, mode: 'in_call' } } }),
    ),
    allItems((query) =>
      client.GET('/api/calls/{call_id}/events', {
        params: { path, query: { ...query, minimum_severity: 'debug' } },
      }),
    ),
  ]);
  const specs = new Map(
    stages.map(({ callStageId, systemPrompt, initialState }) => [
      callStageId,
      { systemPrompt: systemPrompt ?? '', initialState },
    ]),
  );
  const recorder = new CallRecorder({ initialState: stages[0]?.initialState ?? {} }, specs);
  for (const [index, { callStageId: stageId }] of stages.entries()) {
    if (index > 0) recorder.add({ type: 'stage_began', stageId, messageCount: 0 }, 0);
    for (const [place, message] of messages.entries())
      if (message.callStageId === stageId)
        recorder.add(
          { type: 'message_added', stageId, index: message.callStageMessageIndex ?? place, message },
          durationToMs(message.timespan?.start ?? '0s'),
        );
  }
  for (const { type, callStageId: stageId, callTimestamp, ...event } of events) {
    const callTimestampMs = durationToMs(callTimestamp);
    recorder.add({ ...event, type: 'noted', eventType: type, stageId, callTimestampMs }, callTimestampMs);
  }
  const { endReason, joined, ended } = call;
  const durationMs = joined === null || ended === null ? 0 : Date.parse(ended) - Date.parse(joined);
  return recorder.record({ endReason, transferTo: null, durationMs });
}

/** A call is billed after its last event is stored. */
async function storedCall(client: ApiClient, callId: string, clock: Clock) {
  const untilMs = clock.nowMs() + STORE_LIMIT_MS;
  const { signal } = new AbortController();
  for (;;) {
    const params = { path: { call_id: callId } };
    const call = dataOf(await client.GET('/api/calls/{call_id}', { params }));
    if (call.ended !== null && call.billedDuration !== null) return call;
    if (clock.nowMs() > untilMs) throw new AppError('not_stored', `call ${callId} has not ended`);
    await delay(clock, PAUSE_MS, signal);
  }
}
