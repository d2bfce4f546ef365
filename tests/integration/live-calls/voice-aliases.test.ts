import { afterAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallEvent } from '@calls/api-contract/rest/call-records';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { liveCall } from '../../support/live-call.ts';

const KEY = 'sk-of-the-account-0123456789';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

describe('a voice alias', () => {
  const used = (call: { callId: string }) =>
    account.list<CallEvent>(`/api/calls/${call.callId}/events?type=voice_alias_used`);

  it('speaks with its target voice, and a call event contains both names', async () => {
    const call = await liveCall(harness, account, { voice: 'Mark' });
    expect(await account.call(call.callId)).toMatchObject({ voice: 'Mark' });
    expect((await call.resolve({ temperature: 1 })).voice.settings).toMatchObject({ voice: 'Alba' });
    const { results } = await used(call);
    expect(results).toMatchObject([
      {
        callStageId: call.firstStageId,
        callTimestamp: '0s',
        severity: 'info',
        text: 'No voice is called Mark; Alba speaks instead.',
        extras: { named: 'Mark', voice: 'Alba' },
      },
    ]);
  });

  it('applies to a new stage once the call has entered it', async () => {
    const call = await liveCall(harness, account, { voice: 'Bruno' });
    const stage = await call.resolve({ voice: 'Mark' });
    expect(stage.voice.settings).toMatchObject({ voice: 'Alba' });
    expect((await used(call)).total).toBe(0);
    await call.begin(stage);
    expect((await used(call)).results).toMatchObject([
      { callStageId: stage.stageId, extras: { named: 'Mark', voice: 'Alba' } },
    ]);
  });

  it('does not apply when the account has a voice of that name', async () => {
    const owner = await harness.account();
    await owner.send('PATCH', '/api/accounts/me/tts_api_keys', { provider1: KEY });
    await owner.post('/api/voices', { name: 'Mark', definition: { provider1: { voiceId: 'own' } } });
    const call = await liveCall(harness, owner, { voice: 'Mark' });
    expect((await call.resolve({ temperature: 1 })).voice).toMatchObject({
      engine: 'provider1',
      settings: { voiceId: 'own' },
    });
    expect((await owner.list(`/api/calls/${call.callId}/events`)).total).toBe(0);
    expect((await account.post('/api/calls', { voice: 'Marc' })).status).toBe(400);
  });

  it('is accepted in agent templates and applies to calls and batches', async () => {
    const agent = await account.post<Agent>('/api/agents', { callTemplate: { voice: 'Mark' } });
    expect([agent.status, agent.body.callTemplate?.voice]).toEqual([201, 'Mark']);
    const path = `/api/agents/${agent.body.agentId}`;
    const call = await account.post<Call>(`${path}/calls`, {});
    expect((await used(call.body)).total).toBe(1);
    const batch = await account.post(`${path}/scheduled_batches`, { calls: [{}] });
    expect(batch.status).toBe(201);
  });
});
