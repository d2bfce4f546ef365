import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { Message } from '@calls/api-contract/rest/message';
import { endedEntry } from '@calls/testkit/ended-entry';
import type { ControlPlaneHarness, TestAccount } from './control-plane-harness.ts';
import { eventually } from './eventually.ts';

/**
 * Creates a joined and ended call with these messages and returns its id. `settings`: fields of the create-call
 * request.
 */
export async function endedCall(
  harness: ControlPlaneHarness,
  account: TestAccount,
  said: readonly Message[],
  settings: Record<string, unknown> = {},
): Promise<string> {
  const call = await account.createCall(settings);
  const event = harness.eventsOf(call, account.accountId);
  const { results } = await account.list<{ callStageId: string }>(`/api/calls/${call.callId}/stages`);
  const stageId = results[0]?.callStageId ?? '';
  const bodies: CallLogEntryBody[] = [
    { type: 'joined', clientVersion: null, workerId: 'w1' },
    ...said.map((message, index) => ({ type: 'message_added' as const, stageId, index, message })),
    endedEntry({ joinedAtMs: Date.now() - 5000 }),
  ];
  for (const [i, body] of bodies.entries()) await harness.bus.callLogs.append(event(i + 1, body));
  await eventually(async () => {
    const { ended } = await account.call(call.callId);
    if (ended === null) throw new Error('the call has not ended');
  });
  return call.callId;
}
