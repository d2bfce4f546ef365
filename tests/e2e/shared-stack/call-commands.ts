import { beforeAll, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallTombstone } from '@calls/api-contract/rest/call-records';
import type { ApiError } from '@calls/api-contract/rest/common';
import type { Stack } from '@calls/local-stack/stack';
import { Api } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';

/** `open` returns the stack with the key of a new account. */
export function describeCallCommands(open: () => Promise<Stack>): void {
  let stack: Stack;
  let api: Api;

  beforeAll(async () => {
    stack = await open();
    api = new Api(stack);
  });

  async function recordingsOf(callId: string): Promise<string[]> {
    const paths = await readdir(join(stack.directory.root, 'objects/recordings'), { recursive: true });
    return paths.filter((path) => path.includes(callId));
  }

  it('a call accepts commands over the API and is deleted with its recording', async () => {
    const { call, client } = await api.startCall({
      recordingEnabled: true,
      firstSpeakerSettings: { user: {} },
    });
    const send = (message: unknown) =>
      api.request<ApiError | null>('POST', `/api/calls/${call.callId}/send_data_message`, message);
    const started = () => client.messages.some(({ message }) => message.type === 'call_started');
    await client.until('the start', started);
    expect((await send({ type: 'user_text_message', text: 'When is breakfast?' })).status).toBe(204);
    await client.until('the answer', () => client.isPlaying);
    expect(client.transcript[0]).toMatchObject({ role: 'user', text: 'When is breakfast?' });
    const forced = { type: 'forced_agent_message', content: 'The cook is here.', urgency: 'immediate' };
    expect((await send(forced)).status).toBe(204);
    const isForced = ({ role, text }: { role: string; text: string | null }): boolean =>
      role === 'agent' && text === 'The cook is here.';
    await client.until('the words', () => client.transcript.some(isForced));
    expect((await send({ type: 'hang_up', message: 'Goodbye then.' })).status).toBe(204);
    expect((await api.endedCall(call.callId)).endReason).toBe('agent_hangup');
    expect((await api.messages(call.callId)).at(-1)?.text).toBe('Goodbye then.');
    expect(await send({ type: 'hang_up' })).toMatchObject({ status: 422, body: { code: 'call_not_live' } });

    expect(await recordingsOf(call.callId)).toHaveLength(1);
    expect((await api.request('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    expect((await api.request('GET', `/api/calls/${call.callId}`)).status).toBe(404);
    await eventually(async () => expect(await recordingsOf(call.callId)).toEqual([]));
  });

  it('a call prompts a silent user and then hangs up, and announces its time limit', async () => {
    const [silent, long] = await Promise.all([
      api.startCall({
        firstSpeakerSettings: { user: {} },
        inactivityMessages: [
          { duration: '1s', message: 'Are you there?' },
          { duration: '0.5s', message: 'Goodbye then.', endBehavior: 'END_BEHAVIOR_HANG_UP_SOFT' },
        ],
      }),
      api.startCall({
        firstSpeakerSettings: { user: {} },
        maxDuration: '2s',
        timeExceededMessage: 'Our time is up.',
      }),
    ]);
    expect((await api.endedCall(silent.call.callId)).endReason).toBe('agent_hangup');
    expect((await api.messages(silent.call.callId)).map(({ text }) => text)).toEqual([
      'Are you there?',
      'Goodbye then.',
    ]);
    expect((await api.endedCall(long.call.callId)).endReason).toBe('timeout');
    expect((await api.messages(long.call.callId)).map(({ text }) => text)).toEqual(['Our time is up.']);
  });

  it('deleting a live call hangs it up first', async () => {
    const { call, client } = await api.startCall({ recordingEnabled: true });
    await client.until('the greeting', () => client.isPlaying);
    expect((await api.request('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    const stone = await api.request<CallTombstone>('GET', `/api/deleted_calls/${call.callId}`);
    expect(stone).toMatchObject({ status: 200, body: { endReason: 'agent_hangup', recordingEnabled: true } });
    await eventually(async () => expect(await recordingsOf(call.callId)).toEqual([]));

    const waiting = await api.createCall();
    const deleted = await eventually(async () => {
      const response = await api.request('DELETE', `/api/calls/${waiting.callId}`);
      if (response.status === 409) throw new Error('no worker has it yet');
      return response;
    });
    expect(deleted.status).toBe(204);
    expect((await (await api.join(waiting)).closed).code).toBe(4404);
  });
}
