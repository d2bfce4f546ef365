import { expect } from '@jest/globals';
import type { StageSpec } from '@calls/api-contract/call-spec';
import type { CallStage } from '@calls/api-contract/rest/call-records';
import type { Message } from '@calls/api-contract/rest/message';
import { newId } from '@calls/foundation/ids';
import { createControlPlaneQueries } from '@calls/media-worker/control-plane-queries/control-plane-queries';
import { JOIN_TOKEN_SECRETS, type ControlPlaneHarness, type TestAccount } from './control-plane-harness.ts';
import { eventually } from './eventually.ts';

const { signal: never } = new AbortController();

/** An HTTP tool that requires a token. */
export const crm = {
  modelToolName: 'crm',
  description: 'Looks a customer up.',
  dynamicParameters: [{ name: 'id', schema: { type: 'string' }, required: true }],
  requirements: {
    httpSecurityOptions: { options: [{ requirements: { token: { headerApiKey: { name: 'X-Token' } } } }] },
  },
  http: { baseUrlPattern: 'http://127.0.0.1:9/crm/{id}', httpMethod: 'GET' },
};

/** A call as a media-worker runs it. */
export async function liveCall(
  harness: ControlPlaneHarness,
  owner: TestAccount,
  settings: Record<string, unknown> = {},
) {
  const queries = createControlPlaneQueries(harness.bus.requests, JOIN_TOKEN_SECRETS);
  const call = await owner.createCall(settings);
  const path = `/api/calls/${call.callId}`;
  const [first] = (await owner.list<CallStage>(`${path}/stages`)).results;
  const firstStageId = first?.callStageId ?? '';
  const event = harness.eventsOf(call, owner.accountId);
  let seq = 0;
  const publish = async (body: Parameters<typeof event>[1]): Promise<void> => {
    seq += 1;
    await harness.bus.callLogs.append(event(seq, body));
  };
  const say = async (stageId: string, messages: readonly Message[]): Promise<void> => {
    for (const [i, message] of messages.entries()) {
      await publish({ type: 'message_added', stageId, index: i, message });
    }
  };
  return {
    callId: call.callId,
    path,
    firstStageId,
    publish,
    say,
    resolve: (body: unknown, more: { from?: string; stageId?: string; carried?: number } = {}) =>
      queries.stages.resolve(
        {
          accountId: owner.accountId,
          callId: call.callId,
          currentStageId: more.from ?? firstStageId,
          stageId: more.stageId ?? newId(),
          body,
          carriedMessages: more.carried ?? 0,
        },
        never,
      ),
    begin: async ({ stageId }: StageSpec, messageCount = 0): Promise<void> => {
      await publish({ type: 'stage_began', stageId, messageCount });
      await eventually(async () =>
        expect((await owner.request(`${path}/stages/${stageId}`)).status).toBe(200),
      );
    },
  };
}
