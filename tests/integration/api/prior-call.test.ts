import { afterAll, describe, expect, it } from '@jest/globals';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { Call } from '@calls/api-contract/rest/call';
import type { ApiError } from '@calls/api-contract/rest/common';
import type { Message } from '@calls/api-contract/rest/message';
import { createCallSeal } from '@calls/bus/call-seal';
import { newId } from '@calls/foundation/ids';
import {
  ControlPlaneHarness,
  JOIN_TOKEN_SECRETS,
  type ApiResponse,
} from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
const SECRET = 'a secret of sixteen and more';

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, ['retentionPolicy']);
afterAll(() => harness.stop());

function after(prior: { callId: string }, body: object = {}): Promise<ApiResponse<Call & ApiError>> {
  return account.post(`/api/calls?priorCallId=${prior.callId}`, body);
}

async function published(call: Call): Promise<CreatedCall> {
  for (;;) {
    const delivery = await harness.bus.createdCalls.take('standard', 60_000, new AbortController().signal);
    if (!delivery) throw new Error('nothing was published');
    delivery.ack();
    if (delivery.call.spec.callId === call.callId) return delivery.call;
  }
}

/** Log entries that a media-worker publishes about the conversation. */
async function say(call: Call, texts: readonly string[]): Promise<void> {
  const { stage_id: stageId } = await harness.store.db
    .selectFrom('call_stages')
    .select('stage_id')
    .where('call_id', '=', call.callId)
    .executeTakeFirstOrThrow();
  const event = harness.eventsOf(call, account.accountId);
  for (const [index, text] of texts.entries()) {
    const role = index % 2 === 0 ? 'MESSAGE_ROLE_AGENT' : 'MESSAGE_ROLE_USER';
    const message: Message = { role, text, medium: 'MESSAGE_MEDIUM_VOICE', timespan: { start: '1s' } };
    await harness.bus.callLogs.append(event(index + 1, { type: 'message_added', stageId, index, message }));
  }
  await eventually(async () =>
    expect((await account.list(`/api/calls/${call.callId}/messages`)).total).toBe(texts.length),
  );
}

describe('a call with a prior call', () => {
  it('inherits its properties and its history', async () => {
    const prior = await account.createCall({
      systemPrompt: 'Be kind.',
      voice: 'Bruno',
      temperature: 0.4,
      maxDuration: '600s',
      metadata: { order: '7' },
      retentionPolicy: 'auto_delete',
      initialState: { mood: 'good' },
      dataConnection: { websocketUrl: 'wss://data.test', headers: { Authorization: SECRET } },
      callbacks: { ended: { url: 'https://hooks.test', secrets: [SECRET] } },
      sharedSecrets: [SECRET],
      selectedTools: [{ temporaryTool: { modelToolName: 'look', client: {} } }],
    });
    await say(prior, ['Hello.', 'Hi.', 'How are you?']);
    const { status, body } = await after(prior, { temperature: 0, metadata: { order: '8' } });
    expect(status).toBe(201);
    const {
      systemPrompt,
      voice,
      maxDuration,
      retentionPolicy,
      initialState,
      dataConnectionConfig,
      callbacks,
    } = prior;
    expect(body).toMatchObject({
      systemPrompt,
      voice,
      maxDuration,
      retentionPolicy,
      initialState,
      dataConnectionConfig,
      callbacks,
      medium,
      temperature: 0,
      metadata: { order: '8' },
    });
    const { spec } = createCallSeal(JOIN_TOKEN_SECRETS).open(await published(body));
    expect(spec.dataConnection?.headers).toEqual({ Authorization: SECRET });
    expect(spec.firstStage.initialMessages).toEqual([
      { role: 'MESSAGE_ROLE_AGENT', text: 'Hello.', medium: 'MESSAGE_MEDIUM_VOICE' },
      { role: 'MESSAGE_ROLE_USER', text: 'Hi.', medium: 'MESSAGE_MEDIUM_VOICE' },
      { role: 'MESSAGE_ROLE_AGENT', text: 'How are you?', medium: 'MESSAGE_MEDIUM_VOICE' },
    ]);
    const tools = (callId: string) =>
      harness.store.db.selectFrom('call_tools').select('name').where('call_id', '=', callId).execute();
    expect(await tools(body.callId)).toEqual([{ name: 'look' }]);
    const { body: toolless } = await after(body, { selectedTools: [] });
    expect(await tools(toolless.callId)).toEqual([]);
    const row = await harness.store.db
      .selectFrom('calls')
      .select(['prior_call_id', 'settings'])
      .where('call_id', '=', body.callId)
      .executeTakeFirstOrThrow();
    expect(row.prior_call_id).toBe(prior.callId);
    expect(JSON.stringify(row.settings)).not.toContain(SECRET);
  });

  it('inherits no messages from a zero-retention call and has zero retention itself', async () => {
    const initialMessages = [{ role: 'MESSAGE_ROLE_USER', text: 'I am Ada.' }];
    const prior = await account.createCall({ initialMessages, retentionPolicy: 'zdr' });
    for (const said of [[], ['Hello.']]) {
      if (said.length > 0) await say(prior, said);
      const { body } = await after(prior);
      expect(body.retentionPolicy).toBe('zdr');
      expect((await published(body)).spec.firstStage.initialMessages).toEqual([]);
    }
  });

  it('inherits the initial messages when the prior call was never joined', async () => {
    const initialMessages = [{ role: 'MESSAGE_ROLE_USER', text: 'I am Ada.' }];
    const prior = await account.createCall({ initialMessages });
    const { body } = await after(prior);
    expect((await published(body)).spec.firstStage.initialMessages).toEqual(initialMessages);
  });

  it('can follow a live call and inherits its messages so far', async () => {
    const prior = await account.createCall();
    await say(prior, ['Hello.']);
    const { body } = await after(prior);
    expect((await published(body)).spec.firstStage.initialMessages.map(({ text }) => text)).toEqual([
      'Hello.',
    ]);
  });

  it('inherits the history of several chained calls', async () => {
    const first = await account.createCall({ systemPrompt: 'One.' });
    const second = (await after(first, { languageHint: 'de' })).body;
    const { body } = await after(second);
    expect(body).toMatchObject({ systemPrompt: 'One.', languageHint: 'de' });
  });

  it('has the voice that it names or else the inherited one', async () => {
    const prior = await account.createCall({ voice: 'Bruno' });
    const externalVoice = { generic: { url: 'https://voices.test/say' } };
    expect((await after(prior, { externalVoice })).body).toMatchObject({ voice: null, externalVoice });
    expect((await after(prior, { voice: 'Clara' })).body.voice).toBe('Clara');
  });

  it('cannot have its own initial messages', async () => {
    const prior = await account.createCall();
    for (const initialMessages of [[], [{ text: 'x' }]]) {
      const { status, body } = await after(prior, { initialMessages });
      expect(status).toBe(400);
      expect(body.errors!.map(({ path }) => path)).toEqual(['initialMessages']);
    }
  });

  it('must belong to the account of the prior call', async () => {
    const other = await harness.account();
    const foreign = await other.createCall();
    for (const callId of [newId(), foreign.callId]) {
      const { status, body } = await after({ callId }, { medium, temperature: 2 });
      expect(status).toBe(400);
      expect(body.errors!.map(({ path }) => path).sort()).toEqual(['temperature']);
      const unknown = await after({ callId }, { medium, model: 'svc-v9' });
      expect(unknown.body.errors!.map(({ path }) => path).sort()).toEqual(['model', 'priorCallId']);
    }
    expect((await after({ callId: 'not-an-id' }, { medium })).body.errors![0]!.path).toBe('priorCallId');
  });

  it('requires the account feature that the prior call required', async () => {
    const prior = await account.createCall({ retentionPolicy: 'zdr' });
    await harness.store.db
      .updateTable('accounts')
      .set({ features: [] })
      .where('account_id', '=', account.accountId)
      .execute();
    await eventually(async () => expect((await after(prior)).status).toBe(403));
  });
});
