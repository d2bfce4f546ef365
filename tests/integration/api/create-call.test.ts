import { afterAll, describe, expect, it } from '@jest/globals';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { Call, StartCallRequest } from '@calls/api-contract/rest/call';
import type { CallEvent } from '@calls/api-contract/rest/call-records';
import type { ApiError } from '@calls/api-contract/rest/common';
import { createCallSeal } from '@calls/bus/call-seal';
import { newId } from '@calls/foundation/ids';
import { omit } from '@calls/foundation/omit';
import { endedEntry } from '@calls/testkit/ended-entry';
import {
  ControlPlaneHarness,
  JOIN_TOKEN_SECRETS,
  type ApiResponse,
  type TestAccount,
} from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const medium = { serverWebSocket: { inputSampleRate: 16_000 } };
const SECRET = 'a secret of sixteen and more';

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, ['sip', 'retentionPolicy', 'admissionPreference']);
afterAll(() => harness.stop());

function create(request: StartCallRequest | object, query = ''): Promise<ApiResponse<Call & ApiError>> {
  return account.post(`/api/calls${query}`, { medium, ...request });
}

async function issuePaths(request: object): Promise<string[]> {
  const { status, body } = await create(request);
  expect(status).toBe(400);
  return body.errors!.map(({ path }) => path).sort();
}

async function publishedCall(
  admissionClass: CreatedCall['admissionClass'],
  callId: string,
): Promise<CreatedCall> {
  for (;;) {
    const delivery = await harness.bus.createdCalls.take(
      admissionClass,
      60_000,
      new AbortController().signal,
    );
    if (!delivery) throw new Error('nothing was published');
    delivery.ack();
    if (delivery.call.spec.callId === callId) return delivery.call;
  }
}

/** A provider1 voice as an account adds it. */
async function addVoice(
  name: string,
  owner = account.accountId,
  settings: object = { voiceId: 'theirs', speed: 1 },
): Promise<string> {
  const voiceId = newId();
  await harness.store.db
    .insertInto('voices')
    .values({
      voice_id: voiceId,
      account_id: owner,
      slug: null,
      name,
      description: null,
      primary_language: null,
      language_label: null,
      billing_style: 'VOICE_BILLING_STYLE_EXTERNAL',
      provider: 'provider1',
      engine: 'provider1',
      engine_settings: JSON.stringify(settings),
      position: 0,
      created_at: new Date(),
      withdrawn_at: null,
    })
    .execute();
  return voiceId;
}

describe('call durations', () => {
  it('are returned in the format of the request', async () => {
    const given = {
      joinTimeout: '45.000s',
      maxDuration: '60.0s',
      vadSettings: { turnEndpointDelay: '0.40s', minimumTurnDuration: '0.0s' },
      inactivityMessages: [{ duration: '8.50s', message: 'Are you there?' }],
      firstSpeakerSettings: { agent: { delay: '1.0s' } },
      medium: { serverWebSocket: { inputSampleRate: 16_000, mediaIdleTimeout: '12.50s' } },
    };
    for (const plan of ['SCALE', 'FREE'] as const) {
      const owner = await harness.account(plan);
      const call = await owner.createCall(given);
      expect(call).toMatchObject(given);
      expect(await owner.call(call.callId)).toMatchObject(given);
    }
    expect((await account.createCall({ maxDuration: '3600s' })).maxDuration).toBe('3600s');
  });
});

describe('call voices', () => {
  it.each([
    [
      'an external voice in addition',
      ['externalVoice'],
      { voice: 'Alba', externalVoice: { provider1: { voiceId: 'v' } } },
    ],
    ['overrides without a voice', ['voiceOverrides'], { voiceOverrides: { provider1: { speed: 1 } } }],
    [
      'no id although its provider requires one',
      ['externalVoice.provider1.voiceId'],
      { externalVoice: { provider1: {} } },
    ],
    ['an unknown name', ['voice'], { voice: 'Unknown' }],
    ['an unknown id', ['voice'], { voice: newId() }],
    [
      'overrides for a built-in voice',
      ['voiceOverrides.provider1'],
      { voice: 'Alba', voiceOverrides: { provider1: { speed: 1 } } },
    ],
  ])('cannot have %s', async (_, expected, request) => {
    expect(await issuePaths(request)).toEqual(expected);
  });

  it('cannot be overridden together with an external voice', async () => {
    const request = {
      externalVoice: { generic: { url: 'https://voices.test/say' } },
      voiceOverrides: { provider1: { speed: 1 } },
    };
    expect(await issuePaths(request)).toEqual(['voiceOverrides']);
  });

  it('require a provider key for an external voice unless it is generic', async () => {
    const keyless = { externalVoice: { provider2: { voiceId: 'x' } } };
    expect(await issuePaths(keyless)).toEqual(['externalVoice.provider2']);
    const generic = { generic: { url: 'https://voices.test/say', headers: { Authorization: SECRET } } };
    const { status, body } = await create({ externalVoice: generic });
    expect(status).toBe(201);
    expect(body.externalVoice).toEqual({ generic: { url: 'https://voices.test/say' } });
    expect(body.voice).toBeNull();
  });

  it('can be overridden with fields and the key of their own provider', async () => {
    const voiceId = await addVoice('Elena');
    const voiceOverrides = { provider1: { speed: 1.1 } };
    expect(await issuePaths({ voice: voiceId })).toEqual(['voice']);
    await account.send('PATCH', '/api/accounts/me/tts_api_keys', { provider1: 'sk_0123456789' });
    expect(await issuePaths({ voice: 'Elena', voiceOverrides: { provider2: { speed: 1 } } })).toEqual([
      'voiceOverrides.provider2',
    ]);
    expect(await issuePaths({ voice: 'Elena', voiceOverrides: { provider1: { voiceId: 'x' } } })).toEqual([
      'voiceOverrides.provider1.voiceId',
    ]);
    const { status, body } = await create({ voice: 'Elena', voiceOverrides });
    expect(status).toBe(201);
    expect(body).toMatchObject({ voice: 'Elena', voiceOverrides });
    const { spec } = await publishedCall('standard', body.callId);
    expect(spec.firstStage.voice.engine).toBe('provider1');
    expect(spec.firstStage.voice.settings).toMatchObject({ voiceId: 'theirs', speed: 1.1 });
    expect(spec.firstStage.voice.settings).toHaveProperty('apiKey');
  });

  it('must be named by id when the name is not unique', async () => {
    const voiceId = await addVoice('Twin');
    await addVoice('Twin');
    expect(await issuePaths({ voice: 'Twin' })).toEqual(['voice']);
    expect((await create({ voice: voiceId })).status).toBe(201);
  });

  it('are rejected when an earlier release stored an incomplete definition', async () => {
    await addVoice('Half', account.accountId, { speed: 1 });
    const refused = await create({ voice: 'Half' });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ path: 'voice', message: 'has an unusable definition: provider1.voiceId is required' }],
    ]);
  });

  it('cannot belong to another account', async () => {
    const other = await harness.account();
    const voiceId = await addVoice('Foreign', other.accountId);
    expect(await issuePaths({ voice: voiceId })).toEqual(['voice']);
    expect(await issuePaths({ voice: 'Foreign' })).toEqual(['voice']);
  });
});

describe('account features', () => {
  it.each([
    { medium: { sip: { outgoing: { to: 'sip:a@b.test', from: 'c' } } } },
    { retentionPolicy: 'CALL_RETENTION_POLICY_AUTO_DELETE' },
    { retentionPolicy: 'zdr' },
    { admissionPreference: 'CALL_ADMISSION_PREFERENCE_PRIORITY' },
    { admissionPreference: 'lowest_cost' },
  ])('are required for %j', async (request) => {
    const plain = await harness.account('SCALE');
    expect(await plain.post('/api/calls', { medium, ...request })).toMatchObject({
      status: 403,
      body: { code: 'feature_not_enabled' },
    });
    expect((await plain.list('/api/calls')).total).toBe(0);
  });

  it.each([
    { retentionPolicy: 'CALL_RETENTION_POLICY_UNSPECIFIED' },
    { retentionPolicy: 'CALL_RETENTION_POLICY_RETAIN' },
    { admissionPreference: 'CALL_ADMISSION_PREFERENCE_UNSPECIFIED' },
  ])('are not required for %j', async (request) => {
    const plain = await harness.account('SCALE');
    const { status, body } = await plain.post<Call>('/api/calls', { medium, ...request });
    expect(status).toBe(201);
    expect(body).toMatchObject({ retentionPolicy: 'retain', admissionPreference: null });
  });

  it('permit other retention policies and admission preferences, which are returned in lower case', async () => {
    const { body } = await create({
      retentionPolicy: 'CALL_RETENTION_POLICY_AUTO_DELETE',
      admissionPreference: 'CALL_ADMISSION_PREFERENCE_LOWEST_COST',
    });
    expect(body).toMatchObject({ retentionPolicy: 'auto_delete', admissionPreference: 'lowest_cost' });
    expect(await account.call(body.callId)).toEqual(body);
    expect((await publishedCall('lowest_cost', body.callId)).admissionClass).toBe('lowest_cost');
    const { body: urgent } = await create({ admissionPreference: 'priority' });
    expect((await publishedCall('priority', urgent.callId)).admissionClass).toBe('priority');
  });
});

describe('phone calls', () => {
  it.each([
    { telephony1: {} },
    { telephony2: { dtmfHandling: { ignore: true } } },
    { telephony3: { dtmfHandling: { userTextMessage: { text: 'Keys: {digits}' } } } },
    { telephony4: {} },
  ])('are created when the provider streams their audio to the join URL: %j', async (given) => {
    const { status, body } = await create({ medium: given });
    expect([status, body.medium]).toEqual([201, given]);
    expect(body.joinUrl).toMatch(/^ws:\/\/[^/]+\/join\/[\da-f-]{36}\/[\w.-]+$/u);
  });
});

describe('SIP calls', () => {
  it('send an INVITE and have no join URL', async () => {
    const said = { to: 'sip:desk@example.com', from: '+15550002', username: 'u' };
    const { status, body } = await create({ medium: { sip: { outgoing: { ...said, password: SECRET } } } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ joinUrl: null, medium: { sip: { outgoing: said } } });
    expect(body.sipDetails).toEqual({ billedDuration: null, terminationReason: null });
    const sealed = await publishedCall('standard', body.callId);
    for (const text of [SECRET, said.to, said.from]) expect(JSON.stringify(sealed)).not.toContain(text);
    const { spec } = createCallSeal(JOIN_TOKEN_SECRETS).open(sealed);
    expect(spec.medium).toMatchObject({
      kind: 'sip',
      direction: 'outgoing',
      ...said,
      from: 'sip:+15550002@example.com',
      password: SECRET,
    });
  });

  it('can detect answering machines', async () => {
    const answeringMachineDetection = { onMachine: 'leave_message', message: 'Please call us back.' };
    const sip = { outgoing: { to: 'sip:desk@example.com', from: 'ada' } };
    const { status, body } = await create({ medium: { sip }, answeringMachineDetection });
    expect([status, body.answeredBy]).toEqual([201, null]);
    expect(body.answeringMachineDetection).toEqual(answeringMachineDetection);
    const { spec } = createCallSeal(JOIN_TOKEN_SECRETS).open(await publishedCall('standard', body.callId));
    const others = { onIvr: 'continue', onScreening: 'continue' };
    expect(spec.answeringMachine).toEqual({ ...answeringMachineDetection, ...others });
    expect(await issuePaths({ answeringMachineDetection })).toEqual(['answeringMachineDetection']);
    // It is not inherited with the medium, which becomes an incoming one.
    const again = await create({}, `?priorCallId=${body.callId}`);
    expect([again.status, again.body.answeringMachineDetection]).toEqual([201, undefined]);
  });

  it.each([
    ['medium.sip.outgoing.to', { to: '+15550001', from: 'ada' }],
    ['medium.sip.outgoing.from', { to: 'sip:desk@example.com', from: 'two words' }],
  ])('reject an invalid address in %s', async (path, outgoing) => {
    expect(await issuePaths({ medium: { sip: { outgoing } } })).toEqual([path]);
  });
});

describe('medium validation', () => {
  const outgoing = { to: '+15550001', from: '+15550002' };
  it('reports an incoming SIP call without its INVITE as unavailable instead of invalid', async () => {
    const other = { sip: { incoming: {} } };
    expect(await create({ medium: other })).toMatchObject({
      status: 422,
      body: { code: 'medium_not_available' },
    });
    expect(await issuePaths({ medium: other, temperature: 2 })).toEqual(['temperature']);
  });

  it.each([
    ['medium', { webRtc: {}, telephony1: {} }],
    ['medium.telephony5', { telephony5: {} }],
    ['medium.telephony1.outgoing.from', { telephony1: { outgoing: { to: '+1' } } }],
    ['medium.telephony4.outgoing', { telephony4: { outgoing } }],
    ['medium.sip', { sip: { incoming: {}, outgoing: { ...outgoing, to: 'sip:a@b.test' } } }],
    ['medium.sip', { sip: {} }],
  ])('reports invalid fields: %s', async (path, other) => {
    expect(await issuePaths({ medium: other })).toEqual([path]);
  });
});

describe('WebRTC', () => {
  it.each([{}, { webRtc: {} }, { webRtc: { dataMessages: { pong: true } } }])(
    'creates a call although no media-worker is running: %j',
    async (given) => {
      expect(await create({ medium: given })).toMatchObject({ status: 201, body: { medium: given } });
    },
  );
});

describe('calls that dial a phone', () => {
  const outgoing = { to: '+15550001', from: '+15550002' };

  it.each(['telephony1', 'telephony2', 'telephony3'])('require a %s configuration', async (provider) => {
    expect(await issuePaths({ medium: { [provider]: { outgoing } } })).toEqual([
      `medium.${provider}.outgoing`,
    ]);
  });

  it('are accepted after the configuration is stored', async () => {
    const dialling = await harness.account();
    const config = { accountSid: 'AC1', authToken: '0123456789abcdef0123456789abcdef' };
    expect((await dialling.post('/api/telephony_configs/telephony1', config)).status).toBe(201);
    const medium = { telephony1: { outgoing: { ...outgoing, additionalParams: { Record: true } } } };
    const { status, body } = await dialling.post<Call>('/api/calls', { medium });
    expect([status, body.medium]).toEqual([201, medium]);
    const { spec } = await publishedCall('standard', body.callId);
    expect(spec.medium).toEqual({
      kind: 'telephony1',
      dials: true,
      dtmf: { text: '{digits}', urgency: 'soon' },
    });
  });

  it('reject several phone numbers in one target', async () => {
    const dialling = await harness.account();
    const config = { authId: 'MA1', authToken: '0123456789abcdef0123456789abcdef' };
    expect((await dialling.post('/api/telephony_configs/telephony3', config)).status).toBe(201);
    const several = { ...outgoing, to: '15550001<15550002' };
    const response = await dialling.post('/api/calls', { medium: { telephony3: { outgoing: several } } });
    expect(response.body.errors).toEqual([
      {
        path: 'medium.telephony3.outgoing.to',
        message: 'must be one phone number: < separates several numbers',
      },
    ]);
  });
});

describe('call URLs', () => {
  it.each([
    ['callbacks.joined.url', { callbacks: { joined: { url: 'http://10.0.0.1/hook' } } }],
    ['callbacks.billed.url', { callbacks: { billed: { url: 'http://[::1]/hook' } } }],
    ['callbacks.ended.url', { callbacks: { ended: { url: 'https://user:word@a.test' } } }],
    ['dataConnection.websocketUrl', { dataConnection: { websocketUrl: 'ws://169.254.169.254/latest' } }],
    ['externalVoice.generic.url', { externalVoice: { generic: { url: 'http://192.168.1.1/say' } } }],
    ['externalVoice.generic.url', { externalVoice: { generic: { url: 'ftp://voices.test/say' } } }],
  ])('are rejected when the service may not send requests to them: %s', async (path, request) => {
    expect(await issuePaths(request)).toEqual([path]);
  });
});

describe('settings without effect', () => {
  const eventsOf = async ({ callId }: Call): Promise<CallEvent[]> =>
    (await account.list<CallEvent>(`/api/calls/${callId}/events`)).results;

  it('are named in a warning event of the call', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `${index}${'x'.repeat(70)}`);
    const settings = { faster: true, ...Object.fromEntries(names.map((name) => [name, null])) };
    const [event] = await eventsOf(await account.createCall({ experimentalSettings: settings }));
    expect(event).toMatchObject({ severity: 'warning', type: 'experimental_settings_ignored' });
    expect(event!.text).toMatch(/^experimentalSettings has no effect for: .*faster.* and 3 more\./u);
    expect(event!.extras!['settings']).toHaveLength(10);
    expect(await eventsOf(await account.createCall({ experimentalSettings: {} }))).toEqual([]);
  });
});

describe('the corpus that a call queries', () => {
  const queryCorpus = (corpusId: string, toolName = 'queryCorpus') => ({
    selectedTools: [{ toolName, parameterOverrides: { corpus_id: corpusId } }],
  });

  it('must belong to the account when the call or the agent is created', async () => {
    const corpusOf = async (owner: TestAccount): Promise<string> => {
      const { body } = await owner.post<{ corpusId: string }>('/api/corpora', { name: 'handbook' });
      return body.corpusId;
    };
    const path = 'selectedTools.0.parameterOverrides.corpus_id';
    const refusal = [{ path, message: 'must be the id of a corpus of the account' }];
    for (const unknown of [newId(), await corpusOf(await harness.account())]) {
      const response = await account.post('/api/calls', { medium, ...queryCorpus(unknown) });
      expect([response.status, response.body.errors]).toEqual([400, refusal]);
      const agent = await account.post('/api/agents', { callTemplate: { medium, ...queryCorpus(unknown) } });
      expect(agent.body.errors).toEqual([{ ...refusal[0], path: `callTemplate.${path}` }]);
    }
    const own = await corpusOf(account);
    expect((await account.post('/api/calls', { medium, ...queryCorpus(own.toUpperCase()) })).status).toBe(
      201,
    );
    const template = { medium, ...queryCorpus('{{corpus}}') };
    const { body: agent } = await account.post<{ agentId: string }>('/api/agents', {
      callTemplate: template,
    });
    const start = (corpus: string) =>
      account.post(`/api/agents/${agent.agentId}/calls`, { templateContext: { corpus } });
    expect((await start(own)).status).toBe(201);
    expect((await start(newId())).body.errors).toEqual([{ ...refusal[0], path: `callTemplate.${path}` }]);
  });

  it('is not validated when a tool of the account replaces the built-in tool', async () => {
    const owner = await harness.account();
    const definition = {
      client: {},
      dynamicParameters: [{ name: 'corpus_id', location: 'PARAMETER_LOCATION_BODY', schema: {} }],
    };
    expect((await owner.post('/api/tools', { name: 'queryCorpus', definition })).status).toBe(201);
    expect((await owner.post('/api/calls', { medium, ...queryCorpus(newId()) })).status).toBe(201);
  });
});

describe('the stored call configuration', () => {
  const full = {
    systemPrompt: 'Be kind.',
    temperature: 0.5,
    model: 'svc-local',
    languageHint: 'en-GB',
    initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: 'Hi' }],
    joinTimeout: '60s',
    maxDuration: '90.5s',
    timeExceededMessage: 'Time is up.',
    inactivityMessages: [
      { duration: '10s', message: 'Still there?', endBehavior: 'END_BEHAVIOR_HANG_UP_SOFT' },
    ],
    firstSpeaker: 'FIRST_SPEAKER_USER',
    transcriptOptional: false,
    initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
    vadSettings: { turnEndpointDelay: '0.5s' },
    experimentalSettings: { anything: [1] },
    metadata: { order: '7' },
    initialState: { mood: 'good' },
    backgroundAudio: { audioClip: 'brown_noise', volume: 0.5 },
    mediumRestriction: { allowedMediums: ['MESSAGE_MEDIUM_TEXT'] },
    dataConnection: {
      websocketUrl: 'wss://data.test/socket',
      audioConfig: { sampleRate: 16_000, channelMode: 'CHANNEL_MODE_MIXED' },
      dataMessages: { transcript: true },
      headers: { Authorization: `Bearer ${SECRET}` },
    },
    callbacks: {
      joined: { url: 'https://hooks.test/joined', secrets: [SECRET] },
      ended: { url: 'https://hooks.test/ended' },
    },
    sharedSecrets: [SECRET],
    selectedTools: [
      {
        temporaryTool: {
          modelToolName: 'look_up',
          http: { baseUrlPattern: 'https://tools.test/look', httpMethod: 'GET' },
          requirements: {
            httpSecurityOptions: {
              options: [{ requirements: { key: { headerApiKey: { name: 'X-Key' } } } }],
            },
          },
        },
        authTokens: { key: SECRET },
      },
    ],
    externalVoice: { generic: { url: 'https://voices.test/say', headers: { 'X-Key': SECRET } } },
  };

  it('is returned as given, without secrets', async () => {
    const { status, body } = await create(full);
    expect(status).toBe(201);
    const { callbacks, dataConnection, firstSpeaker, ...rest } = full;
    const shown = omit(rest, 'sharedSecrets', 'selectedTools', 'initialMessages', 'externalVoice');
    expect(body).toMatchObject({
      ...shown,
      medium,
      firstSpeaker,
      firstSpeakerSettings: { user: {} },
      dataConnectionConfig: omit(dataConnection, 'headers'),
      externalVoice: { generic: { url: 'https://voices.test/say' } },
    });
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(body.callbacks).toEqual({
      joined: { url: callbacks.joined.url },
      ended: { url: callbacks.ended.url },
    });
    expect(body).not.toHaveProperty('sharedSecrets');
    expect(body).not.toHaveProperty('selectedTools');
    expect(await account.call(body.callId)).toEqual(body);
  });

  it('has encrypted secrets', async () => {
    const { body } = await create(full);
    const { db } = harness.store;
    const { settings } = await db
      .selectFrom('calls')
      .select('settings')
      .where('call_id', '=', body.callId)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(settings)).not.toContain(SECRET);
    expect(settings.sharedSecrets?.[0]).toMatch(/^sealed:/u);
    const tools = await db.selectFrom('call_tools').selectAll().where('call_id', '=', body.callId).execute();
    expect(tools.map(({ name }) => name)).toEqual(['look_up']);
    expect(JSON.stringify(tools)).not.toContain(SECRET);
  });

  it('never returns the password of a SIP line', async () => {
    const callId = newId();
    const row = await create({});
    await harness.store.db
      .insertInto('calls')
      .columns(['call_id', 'account_id', 'created_at', 'expires_at', 'metadata', 'settings'])
      .expression((eb) =>
        eb
          .selectFrom('calls')
          .select((select) => [
            select.val(callId).as('call_id'),
            'account_id',
            'created_at',
            'expires_at',
            'metadata',
            select
              .fn<string>('jsonb_set', [
                'settings',
                select.val('{medium}'),
                select.val(JSON.stringify({ sip: { outgoing: { to: 'a', from: 'b', password: SECRET } } })),
              ])
              .as('settings'),
          ])
          .where('call_id', '=', row.body.callId),
      )
      .execute();
    expect((await account.call(callId)).medium).toEqual({ sip: { outgoing: { to: 'a', from: 'b' } } });
  });
});

describe('other call validation rules', () => {
  it.each([
    ['model', { model: 'svc-v9' }],
    ['metadata.svc.internal', { metadata: { 'svc.internal': 'x' } }],
    ['firstSpeaker', { firstSpeaker: 'FIRST_SPEAKER_USER', firstSpeakerSettings: { agent: {} } }],
    ['temperature', { temperature: 1.01 }],
    ['vadSettings.frameActivationThreshold', { vadSettings: { frameActivationThreshold: 0.09 } }],
    ['selectedTools.0.nameOverride', { selectedTools: [{ toolName: 'hangUp', nameOverride: 'hang up' }] }],
    ['selectedTools.0.toolName', { selectedTools: [{ toolName: 'noSuchTool' }] }],
    ['selectedTools.0', { selectedTools: [{ toolName: 'hangUp', toolId: newId() }] }],
    [
      'selectedTools.0.temporaryTool.timeout',
      { selectedTools: [{ temporaryTool: { modelToolName: 'slow', client: {}, timeout: '40.1s' } }] },
    ],
    ['inactivityMessages.0.duration', { inactivityMessages: [{ duration: '-1s', message: 'x' }] }],
    ['sharedSecrets.0', { sharedSecrets: ['too short'] }],
    ['languageHint', { languageHint: 'x'.repeat(17) }],
    ['maxDuration', { maxDuration: '01s' }],
  ])('reject an invalid %s', async (path, request) => {
    expect(await issuePaths(request)).toContain(path);
  });

  it('reject two tools with the same name', async () => {
    const tool = { temporaryTool: { modelToolName: 'look', client: {} } };
    expect(await issuePaths({ selectedTools: [tool, tool] })).toEqual([
      'selectedTools.1.temporaryTool.modelToolName',
    ]);
  });
});

describe('concurrent calls', () => {
  const requests = Array.from({ length: 30 }, (_, number) => ({
    medium,
    systemPrompt: `Number ${number}.`,
    experimentalSettings: number % 3 === 0 ? { beamWidth: 2 } : undefined,
    metadata: { number: String(number) },
    selectedTools: number % 2 === 0 ? [{ toolName: 'hangUp' }] : [],
  }));

  it('are created with separate rows, tools, events and messages', async () => {
    const created = await Promise.all(requests.map((request) => account.createCall(request)));
    for (const [number, call] of created.entries()) {
      expect(await account.call(call.callId)).toEqual(call);
      expect(call).toMatchObject({
        systemPrompt: `Number ${number}.`,
        metadata: { number: String(number) },
      });
      const tools = await account.get<unknown[]>(`/api/calls/${call.callId}/tools`);
      expect(tools).toHaveLength(number % 2 === 0 ? 1 : 0);
      const { total } = await account.list<CallEvent>(`/api/calls/${call.callId}/events`);
      expect(total).toBe(number % 3 === 0 ? 1 : 0);
    }
    const waiting = new Set(created.map(({ callId }) => callId));
    while (waiting.size > 0) {
      const signal = new AbortController().signal;
      const delivery = await harness.bus.createdCalls.take('standard', 60_000, signal);
      if (!delivery) throw new Error('a call was not published');
      delivery.ack();
      waiting.delete(delivery.call.spec.callId);
    }
  });

  it('end exactly once when they are not joined, with and without webhooks', async () => {
    const notified = await harness.account();
    await notified.post('/api/webhooks', { url: 'https://example.com/hook', events: ['call.ended'] });
    const owners = requests.map((_, number) => (number % 5 === 0 ? notified : account));
    const calls = await Promise.all(owners.map((owner) => owner.createCall({ medium })));
    const entries = calls.map((call, number) =>
      harness.eventsOf(call, owners[number]!.accountId)(1, endedEntry({ endReason: 'unjoined' })),
    );
    await Promise.all(entries.map((entry) => harness.bus.callLogs.append(entry)));
    for (const [number, call] of calls.entries()) {
      const owner = owners[number]!;
      await eventually(async () => {
        expect(await owner.call(call.callId)).toMatchObject({
          endReason: 'unjoined',
          ended: new Date(entries[number]!.wallClockMs).toISOString(),
          billingStatus: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION',
          billedDuration: '0s',
          billedSideInputTokens: 0,
        });
      });
      const found = await owner.list<Call>(`/api/calls?endReasons=unjoined&pageSize=100`);
      expect(found.results.map(({ callId }) => callId)).toContain(call.callId);
      const { rows } = await harness.query('select seq from call_event_log where call_id = $1', call.callId);
      expect(rows).toEqual([{ seq: 1 }]);
    }
    const deliveries = await notified.list<unknown>('/api/webhook_deliveries');
    expect(deliveries.total).toBe(owners.filter((owner) => owner === notified).length);
  });
});
