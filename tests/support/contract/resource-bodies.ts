import type { BodyFixture, BodyFixtures } from './fixtures.ts';
import { GENERIC_VOICE, HTTP_TOOL, type World } from './world.ts';

const changedKey = { name: 'changed', role: 'viewer', revoked: true };
const rules = [{ maxCalls: 100, windowSeconds: 86_400 }];
const webhook = {
  agentId: null,
  url: 'https://example.com/hook?a=b',
  secrets: ['a secret of some length'],
  events: ['call.started', 'call.joined', 'call.ended', 'call.billed', 'call.analyzed'],
};

const throttles =
  (minimal: (world: World) => unknown) =>
  (world: World): BodyFixture => ({
    minimal: minimal(world),
    maximal: [{ name: world.name(), rules }],
  });
const webhooks = (minimal: unknown) => (): BodyFixture => ({ minimal, maximal: [webhook] });
const voices =
  (minimal: (world: World) => unknown) =>
  (world: World): BodyFixture => ({
    minimal: minimal(world),
    maximal: [
      {
        name: world.name(),
        description: 'Calm.',
        primaryLanguage: 'en-GB',
        definition: {
          generic: {
            ...GENERIC_VOICE.generic,
            headers: { 'X-Key': 'a' },
            responseSampleRate: 16_000,
            responseWordsPerMinute: 150,
            responseMimeType: 'application/json',
            jsonAudioFieldPath: 'audio.data',
            jsonByteEncoding: 'JSON_BYTE_ENCODING_BASE64',
          },
        },
      },
    ],
  });
const namedVoice = (world: World): unknown => ({ name: world.name(), definition: GENERIC_VOICE });
const tools = (world: World): BodyFixture => ({
  minimal: { name: world.toolName(), definition: { description: 'Opens a page.', client: {} } },
  maximal: [{ name: world.toolName(), definition: HTTP_TOOL }],
});
const nothing = (): unknown => ({});

const stub = { delay: '1s', agentReaction: 'listens', updateCallState: { a: 1 } };
const scripted = {
  name: 'books a table',
  description: 'The usual case.',
  call: { medium: 'phone', templateContext: { a: 'b' } },
  caller: {
    voice: 'slt',
    noise: { snrDb: 20 },
    script: [
      { say: 'Hello.' },
      { interrupt: { after: 'good evening', say: 'A table, please.' } },
      { silence: '1.5s' },
      { press: '1#' },
      { type: 'For two.' },
      { agentSays: '/booked/' },
      { hangUp: true },
    ],
  },
  tools: {
    book: [{ ...stub, result: { a: 1 }, responseType: 'tool-response' }, { error: 'full' }],
    find: { result: 'a table' },
  },
  expect: {
    tools: [{ name: 'book', arguments: { guests: 2 }, times: 1 }],
    toolOrder: 'listed',
    state: { a: 1 },
    stages: ['confirm'],
    endReason: 'hangup',
    transferTo: '+4930123456',
    says: ['booked'],
    neverSays: ['sorry'],
    interruptions: 1,
    latency: { p50: '1s', max: '2s' },
    judge: ['The agent is kind.'],
  },
};
const played = { name: 'played', caller: { goal: 'Book a table.', persona: 'A guest.', maxTurns: 5 } };
/** Scenarios with every field. */
const scenarios = [scripted, played];

export const resourceBodies: BodyFixtures = {
  createCallThrottle: throttles((world) => ({ name: world.name(), rules })),
  replaceCallThrottle: throttles((world) => ({ name: world.name(), rules })),
  updateCallThrottle: throttles(nothing),
  createApiKey: (world) => ({
    minimal: { name: world.name() },
    maximal: [{ name: world.name(), role: 'member', expiryDate: '2099-01-01T00:00:00Z' }],
  }),
  replaceApiKey: () => ({ minimal: {}, maximal: [changedKey] }),
  updateApiKey: () => ({ minimal: {}, maximal: [changedKey] }),
  createInvitation: (world) => ({
    minimal: { name: world.name() },
    maximal: [{ name: world.name(), role: 'viewer', expiresInSeconds: 300 }],
  }),
  createWebhook: webhooks({ url: 'https://example.com/', events: ['call.ended'] }),
  replaceWebhook: webhooks({ url: 'https://example.com/', events: ['call.ended'] }),
  updateWebhook: webhooks({}),
  createTool: tools,
  replaceTool: tools,
  testTool: () => ({
    minimal: {},
    maximal: [{ parameters: { a: 1 }, authTokens: { key: 'a token' }, mcpToolName: 'find' }],
    // The tools of this test are client tools.
    answered: { status: 422, code: 'not_an_http_tool' },
  }),
  createTestRun: async (world) => {
    const body = await world.testRun();
    const { agentId, revisionId } = await world.revision();
    return { minimal: body, maximal: [{ agentId, revisionId, scenarios }] };
  },
  replaceTestSuite: () => ({ minimal: { scenarios: [] }, maximal: [{ scenarios }] }),
  createVoice: voices(namedVoice),
  replaceVoice: voices(namedVoice),
  updateVoice: voices(nothing),
  previewVoiceDefinition: (world) => ({
    ...voices(namedVoice)(world),
    // example.com has no TTS endpoint.
    answered: { status: 400, code: 'voice_error' },
  }),
};
