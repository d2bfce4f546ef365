import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import type { ApiError } from '@calls/api-contract/rest/common';
import type { Voice } from '@calls/api-contract/rest/voice';
import { formFields } from '@calls/providers/form-fields';
import { speak } from '@calls/testkit/speech/speak';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { SampleVendorServers } from '../support/sample-vendors/servers.ts';
import { TIN_CAN_FORMAT, tinCanStream } from '../support/sample-vendors/tin-can-stream.ts';
import { whisperTown } from '../support/sample-vendors/whisper-town.ts';
import { startTestStack } from '../support/start-stack.ts';
import { MediaStream } from '../support/telephony/media-stream.ts';
import { LINE_RATE_HZ, Voice as PhoneVoice } from '../support/telephony/voice.ts';
import { openTestStore } from '../support/test-store.ts';

const KEY = 'key-of-the-account-with-every-vendor';
const GREETING = 'Good morning.';
const DEFINITION = { provider99: { voiceId: 'v', warmth: 2 } };
const CONFIGS = '/api/telephony_configs/telephony99';

const servers = await SampleVendorServers.start(KEY);
const { url } = servers;
const stack = await startTestStack({
  fromSources: true,
  env: {
    NODE_OPTIONS: `--import=${new URL('../support/sample-vendors/register.ts', import.meta.url).href}`,
    TTS_PROVIDER99_BASE_URL: url,
    STT_PARROT_BASE_URL: url,
    STT_PARROT_API_KEY: KEY,
    LLM_ORACLE_BASE_URL: url,
    LLM_ORACLE_API_KEY: KEY,
    TELEPHONY99_BASE_URL: url,
  },
});
const api = new Api(stack);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await servers[Symbol.asyncDispose]();
});

function issuesOf(path: string, body: object): Promise<unknown> {
  return api.request<ApiError>('POST', path, body).then((response) => response.body.errors);
}

describe('sample vendors of each kind', () => {
  it('have their settings and credentials validated by the API', async () => {
    expect(await issuesOf('/api/voices', { name: 'Mine', definition: { provider99: {} } })).toEqual([
      { path: 'definition.provider99.voiceId', message: 'is required' },
    ]);
    expect(await issuesOf('/api/calls', { externalVoice: DEFINITION })).toEqual([
      { path: 'externalVoice.provider99', message: 'needs a key for provider99, and the account has none' },
    ]);
    expect(await issuesOf(CONFIGS, { canId: 'can-1' })).toEqual([
      { path: 'stringToken', message: 'is required' },
    ]);
  });

  it('have form fields in the console', () => {
    expect(formFields(whisperTown)).toEqual([
      { path: 'voiceId', label: 'Voice id', kind: 'text', isMain: true },
      { path: 'warmth', label: 'Warmth', kind: 'number', isMain: false },
    ]);
  });

  it('serve a phone call, from the API request to audio in both directions', async () => {
    const keys = await api.request('PATCH', '/api/accounts/me/tts_api_keys', { provider99: KEY });
    expect(keys.body).toEqual({ provider99: { prefix: 'key-of-t' } });
    const config = { canId: 'can-1', stringToken: KEY, callCreationAllowAllAgents: true };
    const stored = await api.request('POST', CONFIGS, config);
    expect(stored).toMatchObject({ status: 201, body: { stringTokenPrefix: { prefix: 'key-of-t' } } });
    expect(JSON.stringify(stored.body)).not.toContain(KEY);
    const rows = await storedSecrets();
    expect(rows).toHaveLength(2);
    expect(rows.join()).not.toContain(KEY);
    const voice = await api.request<Voice>('POST', '/api/voices', { name: 'Mine', definition: DEFINITION });
    expect(
      await issuesOf('/api/calls', {
        voice: voice.body.voiceId,
        voiceOverrides: { provider99: { voiceId: 'other' } },
      }),
    ).toContainEqual({
      path: 'voiceOverrides.provider99.voiceId',
      message: 'must not be overridden, because it affects the price',
    });

    const call = await api.createCall({
      voice: voice.body.voiceId,
      firstSpeakerSettings: { agent: { text: GREETING } },
      medium: { telephony99: { outgoing: { to: '+4930777', from: '+4930555' } } },
    });
    const placed = await eventually(() => {
      const [first] = servers.calls;
      if (!first) throw new Error('no call was placed');
      return first;
    });
    expect(placed).toMatchObject({ to: '+4930777', from: '+4930555' });
    const { stream, voice: caller, errors } = await answered(placed.answerUrl, call);
    await eventually(() => expect(stream.loudspeaker.lastSoundMs).not.toBeNull());

    const said = await speak({
      engine: 'flite',
      voice: 'slt',
      text: 'hello there',
      sampleRateHz: LINE_RATE_HZ,
    });
    await eventually(() => expect(stream.loudspeaker.queuedMs).toBe(0));
    await caller.say(said);
    await eventually(() => expect(servers.sentences).toContain('It snows in the north.'));
    expect(servers.sentences[0]).toBe(GREETING);
    expect(servers.questions.at(-1)).toMatchObject({
      role: 'user',
      content: 'what is the weather in the north',
    });
    const [utterance = new Int16Array()] = servers.utterances;
    expect(utterance.length).toBeGreaterThan(said.length);
    expect(Math.max(...utterance)).toBeGreaterThan(1000);
    await eventually(async () =>
      expect((await api.messages(call.callId)).map(({ role, text }) => [role, text])).toEqual([
        ['MESSAGE_ROLE_AGENT', GREETING],
        ['MESSAGE_ROLE_USER', 'what is the weather in the north'],
        ['MESSAGE_ROLE_AGENT', 'It snows in the north.'],
      ]),
    );
    expect(Math.max(...stream.loudspeaker.played())).toBeGreaterThan(7000);
    stream.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
    expect(errors).toEqual([]);
  });
});

/** The account's keys and credentials as the database has them, as text. */
async function storedSecrets(): Promise<string[]> {
  const { databaseUrl: url } = stack.servers;
  await using store = openTestStore(url);
  const keys = await store.db.selectFrom('tts_api_keys').select('sealed_key').execute();
  const configs = await store.db.selectFrom('telephony_configs').select('secrets').execute();
  return [...keys.map((row) => row.sealed_key), ...configs.map((row) => JSON.stringify(row.secrets))];
}

/** Answers the phone like the vendor Tin Can: requests the XML of the call and follows its stream instruction. */
async function answered(
  answerUrl: string,
  { callId }: Call,
): Promise<{ stream: MediaStream; voice: PhoneVoice; errors: string[] }> {
  const xml = await (await fetch(answerUrl, { method: 'POST' })).text();
  const [, url = ''] = /<String>(.+)<\/String>/u.exec(xml) ?? [];
  const voice = new PhoneVoice();
  const errors: string[] = [];
  const stream = new MediaStream({
    provider: { newStreamId: () => 'line-1', stream: tinCanStream },
    call: { callId, from: '+4930555', to: '+4930777', isOutgoing: true, status: 'in-progress' },
    order: { url: url.replaceAll('&amp;', '&'), said: TIN_CAN_FORMAT, played: TIN_CAN_FORMAT },
    voice,
    onError: (error) => errors.push(error),
  });
  return { stream, voice, errors };
}
