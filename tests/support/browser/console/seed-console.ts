import type { Agent } from '@calls/api-contract/rest/agent';
import type { Call } from '@calls/api-contract/rest/call';
import type { Voice } from '@calls/api-contract/rest/voice';
import type { Webhook } from '@calls/api-contract/rest/webhook';
import type { CallClient } from '@calls/examples/call-client';
import { speak } from '@calls/testkit/speech/speak';
import type { Api } from '../../api.ts';
import { eventually } from '../../eventually.ts';
import { WebhookReceiver } from '../../webhook-receiver.ts';

const WEBHOOK_EVENTS = ['call.started', 'call.joined', 'call.ended', 'call.billed'];
const QUESTION = 'what time is the breakfast in the morning';
const THANKS = 'Thank you, goodbye.';
const RATE_HZ = 16_000;

/** An account with typical data. */
export interface SeededAccount extends AsyncDisposable {
  readonly agentId: string;
  /** An agent that tests may change. */
  readonly workspaceAgentId: string;
  /** An agent with two revisions. */
  readonly changedAgentId: string;
  readonly earlierVersionId: string;
  readonly voiceId: string;
  /** A webhook with failing deliveries. */
  readonly webhookId: string;
  /** A call with a recording, an interruption and a tool call. */
  readonly endedCallId: string;
  /** A call with a second stage that a tool started. */
  readonly stagedCallId: string;
  readonly deletedCallId: string;
  /** A call that stays joined until this account is disposed. */
  readonly liveCallId: string;
}

export async function seedAccount(api: Api): Promise<SeededAccount> {
  const refuses = await WebhookReceiver.start(...Array<number>(200).fill(500));
  const takes = await WebhookReceiver.start();
  const webhookId = await createWebhook(api, refuses.url);
  await createWebhook(api, takes.url);
  const agentId = await createAgent(api, 'Hotel reception');
  const workspaceAgentId = await createAgent(api, 'Spa reception');
  const earlier = await create<Agent>(api, '/api/agents', { name: 'Night porter', callTemplate: EARLIER });
  await api.request('PATCH', `/api/agents/${earlier.agentId}`, { callTemplate: LATER });
  const voice = await create<Voice>(api, '/api/voices', {
    name: 'Warm Anna',
    description: 'Our narrator, for the hotels by the sea',
    primaryLanguage: 'en-GB',
    definition: { provider1: { voiceId: 'anna', model: 'turbo', speed: 1.05 } },
  });
  await create(api, '/api/api_keys', { name: 'Booking site' });
  await api.createCall({ joinTimeout: '1s' });
  const deleted = await api.createCall();
  // Deletion returns 409 until the call has ended, which takes longer on a busy machine.
  await eventually(async () => {
    const { status } = await api.request('DELETE', `/api/calls/${deleted.callId}`);
    if (status !== 204) throw new Error(`the call was not deleted: ${status}`);
  });
  const [ended, staged, live] = await Promise.all([talk(api, agentId), changeStage(api), stay(api, agentId)]);
  await eventually(async () => {
    const { body } = await api.request<Webhook>('GET', `/api/webhooks/${webhookId}`);
    if (body.status !== 'unhealthy') throw new Error(`the webhook is still ${body.status}`);
  });
  return {
    agentId,
    workspaceAgentId,
    changedAgentId: earlier.agentId,
    earlierVersionId: earlier.publishedRevisionId ?? '',
    voiceId: voice.voiceId,
    webhookId,
    endedCallId: ended,
    stagedCallId: staged,
    deletedCallId: deleted.callId,
    liveCallId: live.callId,
    async [Symbol.asyncDispose]() {
      await live.client.hangUp();
      await refuses[Symbol.asyncDispose]();
      await takes[Symbol.asyncDispose]();
    },
  };
}

async function createWebhook(api: Api, url: string): Promise<string> {
  return (await create<Webhook>(api, '/api/webhooks', { url, events: WEBHOOK_EVENTS })).webhookId;
}

async function createAgent(api: Api, name: string): Promise<string> {
  const agent = await create<Agent>(api, '/api/agents', {
    name,
    callTemplate: {
      systemPrompt: 'You are Ada, the receptionist of {{hotel}}. Breakfast is from seven to ten.',
      recordingEnabled: true,
      firstSpeakerSettings: {
        // The greeting cannot be interrupted, because on a busy machine the test microphone already asks while the page
        // joins.
        agent: { text: 'Good morning, this is Ada at the reception. How can I help?', uninterruptible: true },
      },
      selectedTools: [{ temporaryTool: SHOW_CARD }],
      analysisSettings: {
        successCriteria: [{ name: 'answered', prompt: 'The agent answered the question of the guest.' }],
      },
    },
  });
  return agent.agentId;
}

const PORTER = `You are the night porter of a hotel by the sea.
Speak softly: people are asleep.

The bar closes at one. Who is hungry finds sandwiches in the fridge next to the lift.
Taxis take ten minutes. The first train leaves at 5:12.

`;
const RESERVATIONS = {
  temporaryTool: {
    modelToolName: 'reservations',
    description: 'Finds and changes reservations.',
    mcp: { url: 'https://mcp.example.com/reservations' },
  },
  allowedTools: ['find_reservation'],
};
const EARLIER = {
  systemPrompt: `${PORTER}Never give a key to anybody without asking for the name on the booking.`,
  temperature: 0.2,
  recordingEnabled: true,
  selectedTools: [RESERVATIONS],
  sharedSecrets: ['the secret of the first year'],
  vadSettings: { turnEndpointDelay: '0.6s' },
};
const LATER = {
  systemPrompt: `${PORTER}Never give a key to anybody without asking for the name and the last day of the booking.
When in doubt, call Ada.`,
  temperature: 0.5,
  languageHint: 'en-GB',
  selectedTools: [RESERVATIONS],
  sharedSecrets: ['the secret of the second year'],
  vadSettings: { turnEndpointDelay: '0.6s', minimumTurnDuration: '0.1s' },
  inactivityMessages: [{ duration: '20s', message: 'Is there anything else that I can do for you tonight?' }],
};

const SHOW_CARD = {
  modelToolName: 'showCard',
  description: 'Shows the guest a card.',
  client: {},
  timeout: '40s',
  dynamicParameters: [
    {
      name: 'title',
      location: 'PARAMETER_LOCATION_BODY',
      schema: { type: 'string', description: 'One line' },
      required: true,
    },
  ],
};

/** Makes a call with a question, an interrupted response and an end. Returns its id. */
async function talk(api: Api, agentId: string): Promise<string> {
  const { callId, client } = await join(api, agentId);
  await client.until('the greeting', () => client.state === 'listening' && !client.isPlaying);
  await client.speak(await speak({ engine: 'flite', voice: 'slt', text: QUESTION, sampleRateHz: RATE_HZ }));
  await client.until('an answer', () => client.state === 'speaking' && client.isPlaying);
  client.send({ type: 'user_text_message', text: THANKS, urgency: 'immediate' });
  await client.until('the other answer', () => {
    const { transcript } = client;
    const thanked = transcript.findIndex(({ text }) => text === THANKS);
    const isAnswered = thanked >= 0 && transcript.slice(thanked).some(({ role }) => role === 'agent');
    return isAnswered && client.state === 'listening' && !client.isPlaying;
  });
  await client.hangUp();
  await api.endedCall(callId);
  return callId;
}

/** Makes a text call in which a tool starts a stage. Returns its id. */
async function changeStage(api: Api): Promise<string> {
  const { call, client } = await api.startCall({
    initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
    firstSpeakerSettings: { user: {} },
    selectedTools: [
      { temporaryTool: { modelToolName: 'sales', description: 'Sales.', timeout: '40s', client: {} } },
    ],
  });
  client.send({ type: 'user_text_message', text: 'Use the tool sales.' });
  const invoked = () =>
    client.messages.flatMap(({ message }) => (message.type === 'client_tool_invocation' ? message : []))[0];
  await client.until('the tool', () => invoked() !== undefined);
  const stage = { systemPrompt: 'You are Bea. You sell rooms with a view.', temperature: 0.4 };
  client.send({
    type: 'client_tool_result',
    invocationId: invoked()?.invocationId ?? '',
    responseType: 'new-stage',
    result: JSON.stringify(stage),
  });
  await eventually(async () => {
    const { body } = await api.request<{ total: number }>('GET', `/api/calls/${call.callId}/stages`);
    if (body.total !== 2) throw new Error('the second stage has not begun');
  });
  await client.hangUp();
  await api.endedCall(call.callId);
  return call.callId;
}

async function stay(api: Api, agentId: string): Promise<{ callId: string; client: CallClient }> {
  const joined = await join(api, agentId);
  await joined.client.until('the greeting', () => joined.client.state === 'speaking');
  return joined;
}

async function join(api: Api, agentId: string): Promise<{ callId: string; client: CallClient }> {
  const call = await create<Call>(api, `/api/agents/${agentId}/calls`, {
    templateContext: { hotel: 'the Sea View' },
    medium: { serverWebSocket: { inputSampleRate: RATE_HZ } },
  });
  return { callId: call.callId, client: await api.join(call, RATE_HZ, false) };
}

async function create<T>(api: Api, path: string, body: unknown): Promise<T> {
  const response = await api.request<T>('POST', path, body);
  if (response.status !== 201)
    throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
}
