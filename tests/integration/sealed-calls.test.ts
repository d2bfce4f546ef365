import { afterAll, describe, expect, it } from '@jest/globals';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { Voice } from '@calls/api-contract/rest/voice';
import { createCallSeal } from '@calls/bus/call-seal';
import { newId } from '@calls/foundation/ids';
import { connect as connectNats } from 'nats';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../support/control-plane-harness.ts';
import { copyOutbox } from '../support/copy-outbox.ts';

const KEY = 'sk-of-the-account-0123456789';
const HEADER = 'Bearer of-the-customer-9876543210';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
await account.send('PATCH', '/api/accounts/me/tts_api_keys', { provider1: KEY });
afterAll(() => harness.stop());

/** All stored NATS messages in raw form. */
async function streamed(): Promise<string> {
  const { host, username: token } = new URL(harness.nats.url);
  const connection = await connectNats({ servers: host, token });
  try {
    const manager = await connection.jetstreamManager();
    const stored: string[] = [];
    for (const { config, state } of await manager.streams.list().next()) {
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
        const message = await manager.streams.getMessage(config.name, { seq }).catch(() => null);
        if (message) stored.push(Buffer.from(message.data).toString('latin1'));
      }
    }
    return stored.join('\n');
  } finally {
    await connection.close();
  }
}

/** The next call for a media-worker and the NATS messages stored before it was pulled. */
async function takenFromStream(): Promise<{ call: CreatedCall; stored: string }> {
  const delivery = await harness.bus.createdCalls.take('standard', 60_000, new AbortController().signal);
  if (!delivery) throw new Error('no call came');
  const stored = await streamed();
  delivery.ack();
  return { call: delivery.call, stored };
}
const taken = async (): Promise<CreatedCall> => (await takenFromStream()).call;

describe('secrets of calls on the bus', () => {
  it.each([
    ['the key of the account', 'voice', { provider1: { voiceId: 'v1' } }, KEY, { apiKey: KEY }],
    [
      'the headers of an endpoint in the catalogue',
      'voice',
      { generic: { url: 'https://voices.example.com/a', headers: { Authorization: HEADER } } },
      HEADER,
      { headers: { Authorization: HEADER } },
    ],
    ['the key of an external voice', 'externalVoice', { provider1: { voiceId: 'v1' } }, KEY, { apiKey: KEY }],
  ])('are encrypted: %s; a media-worker can decrypt them', async (_, field, definition, secret, settings) => {
    const name = `voice ${Math.random()}`;
    if (field === 'voice') {
      expect((await account.post<Voice>('/api/voices', { name, definition })).status).toBe(201);
    }
    const call = await account.createCall({ [field]: field === 'voice' ? name : definition });
    const stored = await streamed();
    expect(stored).toContain(call.callId);
    expect(stored).toContain('sealed:v1:');
    expect(stored).not.toContain(secret);
    const { rows } = await harness.query(
      'select row_to_json(o)::text as row from outbox o union all select row_to_json(c)::text from calls c',
    );
    expect(rows.map(({ row }) => String(row)).join('\n')).not.toContain(secret);

    const message = await taken();
    expect(message.spec.callId).toBe(call.callId);
    expect(JSON.stringify(message)).not.toContain(secret);
    expect(createCallSeal(JOIN_TOKEN_SECRETS).open(message).spec.firstStage.voice.settings).toMatchObject(
      settings,
    );
    expect(() => createCallSeal(['another deployment']).open(message)).toThrow('no key');
  });

  it('are encrypted in messages that the outbox relay publishes for a killed process', async () => {
    const call = await copyOutbox(harness, async () => {
      const created = await account.createCall({ externalVoice: { provider1: { voiceId: 'v2' } } });
      await taken();
      return created;
    });
    const callId = newId();
    await harness.query(
      `insert into outbox (outbox_id, topic, payload)
       select gen_random_uuid(), topic, replace(payload::text, $1, $2)::jsonb from outbox_copy`,
      call.callId,
      callId,
    );
    const { call: relayed, stored } = await takenFromStream();
    expect(stored).toContain(callId);
    expect(stored).not.toContain(KEY);
    expect(relayed.spec.callId).toBe(callId);
    expect(createCallSeal(JOIN_TOKEN_SECRETS).open(relayed).spec.firstStage.voice.settings).toMatchObject({
      apiKey: KEY,
    });
  });
});
