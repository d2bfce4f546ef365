import { afterAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallStage } from '@calls/api-contract/rest/call-records';
import type { Message } from '@calls/api-contract/rest/message';
import { listen } from '@calls/foundation/listen';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { speak } from '@calls/testkit/speech/speak';
import { Api } from '../support/api.ts';
import { flushToDisk } from '../support/flush-to-disk.ts';
import { searchFiles } from '../support/search-files.ts';
import { startTestStack } from '../support/start-stack.ts';

let answers: Record<string, { headers: Record<string, string>; body: unknown }> = {};

const standIn = await startAiStandIn();
const toolServer = createServer((request, response) => {
  const { headers = {}, body = {} } = answers[request.url ?? ''] ?? {};
  request
    .resume()
    .on('end', () =>
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body)),
    );
});
const toolUrl = `http://127.0.0.1:${await listen(toolServer, { port: 0, variable: 'PORT' })}`;
const stack = await startTestStack({
  ownPostgres: true,
  env: {
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    STT_BASE_URL: standIn.baseUrl,
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    // The most verbose setting.
    LOG_LEVEL: 'debug',
    LOG_PII: 'true',
  },
});
const api = new Api(stack);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
  toolServer.close();
});

/** Contents of a call, each with a unique word. */
const PLACES = [
  'begun',
  'written',
  'spoken',
  'answered',
  'forced',
  'argued',
  'resulted',
  'stated',
  'failed',
  'staged',
] as const;
type Words = Record<(typeof PLACES)[number], string>;

function wordsOf(call: string): Words {
  return Object.fromEntries(PLACES.map((place) => [place, `qx${place}${call}zv`])) as Words;
}

/** Runs a call that contains each of these words until it is billed. */
async function callWith(words: Words, settings: Record<string, unknown>): Promise<Call> {
  const tool = (name: string, parameters: string[] = []) => ({
    temporaryTool: {
      modelToolName: name,
      description: `Does ${name}.`,
      // On a busy machine a tool may respond late.
      timeout: '40s',
      http: { baseUrlPattern: `${toolUrl}/${name}`, httpMethod: 'POST' },
      dynamicParameters: parameters.map((parameter) => ({
        name: parameter,
        location: 'PARAMETER_LOCATION_BODY',
        schema: { type: 'string' },
        required: true,
      })),
    },
  });
  await standIn.control({
    stt: { replies: [`please tell me about ${words.spoken}`] },
    llm: {
      rules: [
        {
          last: 'user',
          contains: words.written,
          reply: {
            text: `I look for ${words.answered}.`,
            toolCalls: [{ name: 'look', arguments: { what: words.argued } }],
          },
        },
        { last: 'tool', contains: words.resulted, reply: { toolCalls: [{ name: 'break', arguments: {} }] } },
        { last: 'tool', contains: words.failed, reply: { toolCalls: [{ name: 'move', arguments: {} }] } },
        { last: 'tool', contains: 'stage changed', reply: 'We are there.' },
        { last: 'user', contains: words.spoken, reply: 'Understood.' },
      ],
      replies: ['Well.'],
    },
  });
  answers = {
    '/look': {
      headers: { 'X-Svc-Update-Call-State': JSON.stringify({ note: words.stated }) },
      body: { found: words.resulted },
    },
    '/break': { headers: { 'X-Svc-Response-Type': 'nonsense' }, body: words.failed },
    '/move': {
      headers: { 'X-Svc-Response-Type': 'new-stage' },
      body: { systemPrompt: `You know ${words.staged}.`, initialState: { note: words.staged } },
    },
  };
  const { call, client } = await api.startCall({
    initialMessages: [{ role: 'MESSAGE_ROLE_USER', text: `I am ${words.begun}.` }],
    initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
    firstSpeakerSettings: { user: {} },
    recordingEnabled: true,
    selectedTools: [tool('look', ['what']), tool('break'), tool('move')],
    ...settings,
  });
  const receives = (what: string): Promise<void> =>
    client.until(what, () => client.transcript.some(({ text }) => text.includes(what)));
  client.send({ type: 'user_text_message', text: `Where is ${words.written}?` });
  await receives('We are there.');
  const send = (message: object) =>
    api.request('POST', `/api/calls/${call.callId}/send_data_message`, message);
  expect((await send({ type: 'forced_agent_message', content: `Say ${words.forced}.` })).status).toBe(204);
  await receives(words.forced);
  await client.speak(
    await speak({ engine: 'flite', voice: 'slt', text: 'please tell me', sampleRateHz: 16_000 }),
  );
  await receives('Understood.');
  await client.hangUp();
  return api.endedCall(call.callId);
}

async function onDisk(words: Words): Promise<string[]> {
  await flushToDisk(stack);
  return searchFiles(stack.directory.root, Object.values(words));
}

async function objectsOf(call: Call): Promise<string[]> {
  const names = await readdir(join(stack.directory.root, 'objects'), { recursive: true }).catch(() => []);
  return names.filter((name) => name.includes(call.callId));
}

describe('the contents of a call', () => {
  it('with zero retention appear in no database, server, object storage or log file', async () => {
    const words = wordsOf('one');
    const call = await callWith(words, { retentionPolicy: 'zdr' });
    expect(call).toMatchObject({
      billingStatus: 'BILLING_STATUS_BILLED',
      retentionPolicy: 'zdr',
      summary: null,
    });
    expect(await onDisk(words)).toEqual([]);
    expect(await objectsOf(call)).toEqual([]);

    const messages = await api.messages(call.callId);
    expect(messages.length).toBeGreaterThan(8);
    const inCall = await api.request<{ results: Message[] }>(
      'GET',
      `/api/calls/${call.callId}/messages?mode=in_call&pageSize=100`,
    );
    const roles = inCall.body.results.map(({ role, toolName = '' }) =>
      `${role?.slice(13) ?? ''} ${toolName}`.trim(),
    );
    const spokenFrom = roles.lastIndexOf('TOOL_RESULT move') + 3;
    expect(roles.slice(0, spokenFrom)).toEqual([
      'USER',
      'AGENT',
      'TOOL_CALL look',
      'TOOL_RESULT look',
      'TOOL_CALL break',
      'TOOL_RESULT break',
      'TOOL_CALL move',
      'TOOL_RESULT move',
      'AGENT',
      'AGENT',
    ]);
    // Speech with a gap is two messages.
    expect(roles.slice(spokenFrom, spokenFrom + 2)).toEqual(['USER', 'AGENT']);
    expect(roles.length - spokenFrom).toBeLessThanOrEqual(4);
    expect(inCall.body.results.every((message) => message.text === undefined && message.timespan?.end)).toBe(
      true,
    );
    const events = await api.events(call.callId);
    expect(events.length).toBeGreaterThan(0);
    expect(events.map(({ text }) => text).join('')).toBe('');
    // The account can read the stage that the tool created; on disk it is encrypted.
    const stages = await api.request<{ results: CallStage[] }>('GET', `/api/calls/${call.callId}/stages`);
    expect(stages.body.results.at(-1)).toMatchObject({
      systemPrompt: `You know ${words.staged}.`,
      initialState: { note: words.staged },
    });
    const next = await api.request<Call>('POST', `/api/calls?priorCallId=${call.callId}`, {});
    expect(next).toMatchObject({ status: 201, body: { retentionPolicy: 'zdr' } });
    expect(await onDisk(words)).toEqual([]);
  });

  it('without zero retention all appear in the tables and the stream', async () => {
    const words = wordsOf('two');
    const call = await callWith(words, {});
    const found = await onDisk(words);
    const without = (folder: string): string[] =>
      Object.values(words).filter((word) => !found.some((line) => line.startsWith(`${word}: ${folder}/`)));
    expect(without('postgresql')).toEqual([]);
    // Tool results that define a new stage are replaced by a note in the stream.
    expect(without('nats')).toEqual([words.staged]);
    expect(without('objects')).not.toContain(words.spoken);
    expect((await objectsOf(call)).map((name) => extname(name)).sort()).toEqual(['.jsonl', '.wav']);
  });
});
