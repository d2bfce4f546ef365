import type { BodyFixtures } from './fixtures.ts';
import { CLIENT_TOOL, HTTP_TOOL, SERVER_WEB_SOCKET, type World } from './world.ts';

const secrets = ['a secret of some length', 'another secret of such'];
const callback = { url: 'https://example.com/callback', secrets };
const flags = {
  pong: true,
  state: true,
  transcript: true,
  clientToolInvocation: true,
  dataConnectionToolInvocation: true,
  playbackClearBuffer: true,
  callStarted: true,
  debug: true,
  callEvent: true,
  toolUsed: true,
  userStartedSpeaking: true,
  userStoppedSpeaking: true,
  invokingTool: true,
  interimTranscript: true,
};

const medium = {
  serverWebSocket: {
    inputSampleRate: 48_000,
    outputSampleRate: 8000,
    clientBufferSizeMs: 30_000,
    dataMessages: flags,
    mediaIdleTimeout: '12.5s',
  },
};

/** Medium of an outgoing call, which answering machine detection requires. */
const outgoing = {
  medium: { sip: { outgoing: { to: 'sip:guest@example.com', from: 'sip:desk@example.com' } } },
  answeringMachineDetection: {
    onMachine: 'leave_message',
    message: 'Please call us back.',
    onIvr: 'hang_up',
    onScreening: 'continue',
  },
  ivrNavigation: { mode: 'on', promptPause: '1.5s', options: ['billing'], silenceLimit: '20s' },
};

const message = {
  role: 'MESSAGE_ROLE_USER',
  text: 'Good morning.',
  invocationId: 'i1',
  toolName: 'lookUp',
  errorDetails: 'none',
  medium: 'MESSAGE_MEDIUM_VOICE',
  callStageMessageIndex: 0,
  callStageId: '0190a000-0000-7000-8000-000000000000',
  callState: { step: 1 },
  timespan: { start: '0s', end: '1.25s' },
  wallClockTimespan: { start: '1700000000s', end: '1700000001.25s' },
  metadata: { source: 'test' },
};

const inactivityMessages = [
  { duration: '8s', message: 'Are you still there?' },
  { duration: '8s', message: 'Goodbye.', endBehavior: 'END_BEHAVIOR_HANG_UP_SOFT' },
];

const shared = {
  medium,
  joinTimeout: '45s',
  maxDuration: '600s',
  recordingEnabled: true,
  initialOutputMedium: 'MESSAGE_MEDIUM_VOICE',
  firstSpeakerSettings: { agent: { uninterruptible: true, text: 'Hello!', delay: '0.5s' } },
  dataConnection: {
    websocketUrl: 'wss://example.com/data',
    audioConfig: { sampleRate: 16_000, channelMode: 'CHANNEL_MODE_SEPARATED' },
    dataMessages: flags,
    headers: { Authorization: 'Bearer x' },
  },
  retentionPolicy: 'CALL_RETENTION_POLICY_AUTO_DELETE',
  analysisSettings: {
    dataSchema: { type: 'object', properties: { city: { type: 'string' } } },
    successCriteria: [{ name: 'booked', prompt: 'The user booked a room.' }],
  },
  sharedSecrets: secrets,
};

const calls = {
  metadata: { campaign: 'spring' },
  initialMessages: [message],
  experimentalSettings: { faster: true },
  callbacks: { joined: callback, ended: callback, billed: callback },
};

const agentSettings = {
  systemPrompt: 'You are kind.',
  temperature: 0.5,
  model: 'svc-v0.7',
  languageHint: 'en-GB',
  keyTerms: ['Ada', 'Grand Budapest Hotel'],
  timeExceededMessage: 'Our time is over.',
  inactivityMessages,
  vadSettings: {
    turnEndpointDelay: '0.4s',
    minimumTurnDuration: '0.1s',
    minimumInterruptionDuration: '0.2s',
    frameActivationThreshold: 0.5,
  },
  backgroundAudio: { audioClip: 'brown_noise', volume: 0.5 },
  admissionPreference: 'CALL_ADMISSION_PREFERENCE_PRIORITY',
  mediumRestriction: { allowedMediums: ['MESSAGE_MEDIUM_VOICE', 'MESSAGE_MEDIUM_TEXT'] },
};

const selectedTools = [
  {
    temporaryTool: { ...HTTP_TOOL, modelToolName: 'lookUp' },
    nameOverride: 'look_up',
    descriptionOverride: 'Looks a booking up.',
    authTokens: { key: 'a token' },
    parameterOverrides: { language: 'en' },
    transitionId: 't1',
  },
  { temporaryTool: { ...CLIENT_TOOL, modelToolName: 'openPage' } },
];
const externalVoice = {
  generic: { url: 'https://example.com/speak', headers: { A: 'b' }, body: { text: '{text}' } },
};

/** A call with overrides of a provider voice. */
async function overridden(world: World): Promise<Record<string, unknown>> {
  return {
    voice: await world.providerVoice(),
    voiceOverrides: { provider1: { speed: 1.1, stability: 0.5 } },
  };
}

export const callBodies: BodyFixtures = {
  startCall: async (world) => ({
    minimal: { medium: SERVER_WEB_SOCKET },
    maximal: [
      {
        ...shared,
        ...calls,
        ...agentSettings,
        ...(await overridden(world)),
        selectedTools,
        firstSpeaker: 'FIRST_SPEAKER_AGENT',
        transcriptOptional: false,
        initialState: { step: 0 },
      },
      {
        medium,
        externalVoice,
        firstSpeakerSettings: { user: { fallback: { delay: '5s', prompt: 'Greet.' } } },
      },
      outgoing,
    ],
  }),
  startAgentCall: async (world, path) => ({
    minimal: {},
    maximal: [
      {
        ...shared,
        ...calls,
        ...(await overridden(world)),
        templateContext: { name: 'Ada' },
        toolOverrides: { remove: ['none'], removeAll: true, add: selectedTools },
        agentId: path.split('/')[3],
      },
      { callTemplate: { ...shared, ...agentSettings, selectedTools, name: 'reception' } },
      outgoing,
    ],
  }),
  sendCallDataMessage: () => ({
    minimal: { type: 'hang_up' },
    maximal: [
      { type: 'user_text_message', text: 'Hello.', urgency: 'soon' },
      {
        type: 'forced_agent_message',
        content: 'Goodbye.',
        uninterruptible: true,
        urgency: 'soon',
        toolCalls: [],
      },
      { type: 'hang_up', message: 'Goodbye.' },
    ],
    // No media-worker runs here.
    answered: { status: 422, code: 'call_not_live' },
  }),
  superviseCall: () => ({
    minimal: { mode: 'listen' },
    maximal: [{ mode: 'barge', name: 'Ann', sampleRate: 8000, channelMode: 'CHANNEL_MODE_SEPARATED' }],
    // No media-worker runs here.
    answered: { status: 422, code: 'call_not_live' },
  }),
  createAgentRevision: async (world) => ({
    minimal: { callTemplate: {} },
    maximal: (await templates(world)).map((callTemplate) => ({ callTemplate })),
  }),
  createAgent: async (world) => ({ minimal: {}, maximal: await agents(world) }),
  updateAgent: async (world) => ({ minimal: {}, maximal: await agents(world) }),
};

async function agents(world: World): Promise<unknown[]> {
  const [ada, ben] = await templates(world);
  return [
    { name: 'Ada', testsRequired: false, callTemplate: ada },
    { name: 'Ben', callTemplate: ben },
  ];
}

async function templates(world: World): Promise<unknown[]> {
  const template = {
    ...shared,
    ...agentSettings,
    ...(await overridden(world)),
    name: 'reception',
    systemPrompt: 'You speak with {{customer.name}}.',
    selectedTools,
    contextSchema: { type: 'object', properties: { customer: { type: 'object' } } },
  };
  return [template, { medium, externalVoice }];
}
