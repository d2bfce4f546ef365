import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SIP_INVITE_REQUEST } from '@calls/api-contract/bus/sip-invites';
import type { Agent } from '@calls/api-contract/rest/agent';
import type { ScheduledCallBatch } from '@calls/api-contract/rest/scheduled-batch';
import { newId } from '@calls/foundation/ids';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import { Api } from '../../support/api.ts';
import { TestAccount } from '../../support/control-plane-harness.ts';
import { CorpusClient } from '../../support/corpora/corpus-client.ts';
import { TestSite } from '../../support/corpora/test-site.ts';
import { eventually } from '../../support/eventually.ts';
import { connectTestBus } from '../../support/connect-test-bus.ts';
import { newAccount, type NewAccount } from '../../support/new-account.ts';
import { startTestStack } from '../../support/start-stack.ts';
import {
  longestTurnMs,
  turnMeterEnvironment,
  type MeteredService,
} from '../../support/turn-meter/turn-meter.ts';
import {
  EXPENSIVE_TEXT,
  expensivePatterns,
  maliciousDocuments,
  maliciousRequests,
  maliciousRobots,
  requiredTimesItems,
  type MaliciousInput,
} from './inputs.ts';
import { openTestStore } from '../../support/test-store.ts';

/** Limit of CPU time of a main thread in one turn of its event loop, where the reference work takes REFERENCE_MS. */
const MAX_TURN_MS = 50;
const REFERENCE_MS = 30;
const SCALE = IS_LONG_FORM ? 8 : 1;
const REQUEST_LIMIT_MS = 90_000;
const OPEN_CONTEXT = { properties: { a: {} } };
const ANY_AGENT = '00000000-0000-7000-8000-000000000000';

/** In the short form, returns only the first input of each kind. */
function chosen<T extends { kind: string }>(inputs: readonly T[]): T[] {
  return inputs.filter(({ kind }, i) => IS_LONG_FORM || inputs.findIndex((each) => each.kind === kind) === i);
}

/** Kinds of documents in the short form: a web page, and a file that is unpacked. */
const SHORT_FORM_DOCUMENTS = ['HTML', 'DOCX'];

const measurements: string[] = [];

const servicePids = (): (number | undefined)[] => Object.values(stack.services).map(({ pid }) => pid);

async function send(
  account: NewAccount,
  input: Pick<MaliciousInput, 'method' | 'path' | 'body' | 'file'>,
): Promise<{ status: number; text: string }> {
  const { method, path, body, file } = input;
  const form = new FormData();
  if (file) form.set('file', new Blob([new Uint8Array(file.bytes)], { type: file.type }), 'document');
  const response = await fetch(new URL(path, stack.apiUrl), {
    method,
    headers: {
      'X-API-Key': account.key,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      // The server may close a connection that was idle for long just as it is used again.
      connection: 'close',
    },
    ...(body !== undefined && { body }),
    ...(file && { body: form }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
  return { status: response.status, text: await response.text() };
}

async function json<T>(
  account: NewAccount,
  method: MaliciousInput['method'],
  path: string,
  body: unknown,
): Promise<T> {
  const { status, text } = await send(account, { method, path, body: JSON.stringify(body) });
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as T;
}

/** Garbage collection may be part of a turn by chance. What the input costs is part of it in each measurement. */
const MEASUREMENTS = 3;
const REPEATED = { canRepeat: true };

/** Checks that another account is served meanwhile. With `canRepeat`, a turn that takes too long is measured again. */
async function measured<T>(
  service: MeteredService,
  work: () => Promise<T>,
  { canRepeat = false } = {},
): Promise<T> {
  for (let left = canRepeat ? MEASUREMENTS : 1; ; left -= 1) {
    const { longestMs, referenceMs, result } = await longestTurnMs(meters, service, async () => {
      const [done, other] = await Promise.all([
        work(),
        send(neighbour, { method: 'GET', path: '/api/accounts/me' }),
      ]);
      expect(other.status).toBe(200);
      return done;
    });
    const slowness = Math.max(1, referenceMs / REFERENCE_MS);
    const name = expect.getState().currentTestName ?? '';
    measurements.push(`${longestMs.toFixed(1)} ms  (slowness ${slowness.toFixed(1)})  ${service}  ${name}`);
    if (longestMs >= MAX_TURN_MS * slowness && left > 1) continue;
    expect(longestMs).toBeLessThan(MAX_TURN_MS * slowness);
    return result;
  }
}

const meters = await mkdtemp(join(tmpdir(), 'calls-meters-'));
const standIn = await startAiStandIn();
const stack = await startTestStack({
  env: {
    ...turnMeterEnvironment(meters),
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
  },
});
const store = openTestStore(stack.servers.databaseUrl, { poolSize: 2 });
const attacker = await newAccount(store.db, { plan: 'SCALE', features: ['sip'] });
const neighbour = await newAccount(store.db, { plan: 'SCALE' });
const agent = await json<Agent>(attacker, 'POST', '/api/agents', {
  callTemplate: { systemPrompt: '{{a}}', contextSchema: OPEN_CONTEXT },
});
const agentId = agent.agentId;
const pids = servicePids();
// Warm up: the first request of a kind includes compilation.
for (const input of maliciousRequests(agentId, 1)) {
  if (input.body !== undefined) await send(attacker, { ...input, body: '{"model":5,"calls":[]}' });
  else await send(attacker, { ...input, path: input.path.split('?')[0] ?? '' });
}

afterAll(async () => {
  if (SCALE > 1) process.stdout.write(`${measurements.join('\n')}\n`);
  expect(servicePids()).toEqual(pids);
  await store[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
  await rm(meters, { recursive: true, force: true });
});

describe('a malicious request does not occupy the main thread of a control-plane', () => {
  it.each(chosen(maliciousRequests(ANY_AGENT, SCALE)).map(({ kind, name }) => [kind, name]))(
    '%s: %s',
    async (kind, name) => {
      const input = maliciousRequests(agentId, SCALE).find(
        (each) => each.kind === kind && each.name === name,
      );
      if (!input) throw new Error('no such input');
      const { status, text } = await measured('control-plane', () => send(attacker, input), REPEATED);
      if (!input.statuses.includes(status)) throw new Error(`answered ${status}: ${text.slice(0, 500)}`);
    },
    REQUEST_LIMIT_MS + 30_000,
  );
});

describe('malicious input of a call', () => {
  it.each([
    [
      'a context that lacks everything',
      requiredTimesItems,
      { rows: Array.from({ length: 5000 }, () => ({})) },
    ],
    ['a context that is slow to match', expensivePatterns, EXPENSIVE_TEXT],
  ])('is rejected when an agent is called with %s', async (_, schema, value) => {
    const contextSchema = { properties: { a: schema }, type: 'object' };
    const template = { callTemplate: { systemPrompt: '{{a}}', contextSchema } };
    const agent = await json<Agent>(attacker, 'POST', '/api/agents', template);
    const path = `/api/agents/${agent.agentId}/calls`;
    const body = JSON.stringify({
      templateContext: { a: value },
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
    });
    const { status, text } = await measured(
      'control-plane',
      () => send(attacker, { method: 'POST', path, body }),
      REPEATED,
    );
    expect([status, text]).toEqual([400, expect.stringContaining('templateContext')]);
  });

  it('is rejected by the dispatcher when a batch creates calls', async () => {
    const template = { systemPrompt: '{{a}}', contextSchema: OPEN_CONTEXT };
    const { agentId: id } = await json<Agent>(attacker, 'POST', '/api/agents', { callTemplate: template });
    const path = `/api/agents/${id}/scheduled_batches`;
    const calls = [{ templateContext: { a: EXPENSIVE_TEXT } }];
    const batch = await json<ScheduledCallBatch>(attacker, 'POST', path, { calls, paused: true });
    const contextSchema = { type: 'object', properties: { a: expensivePatterns } };
    await json(attacker, 'PATCH', `/api/agents/${id}`, { callTemplate: { ...template, contextSchema } });
    await measured('dispatcher', async () => {
      await json(attacker, 'PATCH', `${path}/${batch.batchId}`, { paused: false });
      await eventually(async () => {
        const { text } = await send(attacker, { method: 'GET', path: `${path}/${batch.batchId}` });
        expect((JSON.parse(text) as ScheduledCallBatch).completedCount).toBe(calls.length);
      });
    });
  });

  it('fails only the tool call, after which the call continues', async () => {
    await standIn.control({
      llm: {
        rules: [
          {
            last: 'user',
            contains: 'go',
            reply: { text: '', toolCalls: [{ name: 'slow', arguments: { value: EXPENSIVE_TEXT } }] },
          },
          { last: 'tool', contains: 'too expensive to evaluate', reply: 'That was too much.' },
        ],
      },
    });
    const api = new Api({ apiUrl: stack.apiUrl, developmentKey: attacker.key });
    const { call, client } = await api.startCall({
      initialOutputMedium: 'MESSAGE_MEDIUM_TEXT',
      firstSpeakerSettings: { user: {} },
      selectedTools: [
        {
          temporaryTool: {
            modelToolName: 'slow',
            description: 'Is slow.',
            client: {},
            dynamicParameters: [
              { name: 'value', location: 'PARAMETER_LOCATION_BODY', schema: expensivePatterns },
            ],
          },
        },
      ],
    });
    const responses = async (): Promise<number> =>
      (await api.messages(call.callId)).filter(({ text }) => text === 'That was too much.').length;
    const ask = async (): Promise<void> => {
      const before = await responses();
      client.send({ type: 'user_text_message', text: 'go' });
      await eventually(async () => expect(await responses()).toBe(before + 1));
    };
    // The first tool call of a worker includes compilation.
    await ask();
    await measured('media-worker', ask, REPEATED);
    client.send({ type: 'hang_up' });
  });

  it('is not routed to an agent by an expensive SIP user pattern', async () => {
    const allowedAgents = Array.from({ length: 20 }, (_, index) => ({
      agentId,
      toUserPattern: `(?:[\\p{L}\\p{N}]){${850 + index}}$`,
    }));
    const config = { allowedCidrRanges: ['192.0.2.0/24'], allowedAgents, allowAllAgents: false };
    await json(attacker, 'PATCH', '/api/sip', config);
    const bus = await connectTestBus(stack.servers.natsUrl);
    const domain = `${attacker.accountId}.sip.localhost`;
    const user = EXPENSIVE_TEXT.slice(0, 250).replaceAll(' ', 'x');
    const invite = {
      callId: newId(),
      domain,
      to: { uri: `sip:x@${domain}`, user, displayName: '' },
      from: { uri: 'sip:+49@trunk.test', user: '+49', displayName: '' },
      sourceAddress: '192.0.2.7',
      headers: {},
    };
    const { signal } = new AbortController();
    const exchange = { ...SIP_INVITE_REQUEST, limitMs: REQUEST_LIMIT_MS };
    const answer = await measured(
      'control-plane',
      () => bus.requests.send(exchange, invite, signal),
      REPEATED,
    );
    expect(answer).toMatchObject({ kind: 'reject', status: 404 });
    await bus[Symbol.asyncDispose]();
  });
});

describe('a malicious site does not occupy the main thread of a dispatcher', () => {
  async function crawled(site: TestSite, path: string): Promise<string> {
    const { accountId, keyId, key } = attacker;
    const corpus = await CorpusClient.create(new TestAccount(stack.apiUrl, accountId, keyId, key));
    return measured('dispatcher', async () => {
      const { body } = await corpus.addSource({ crawl: { startUrls: [site.url(path)] } });
      return JSON.stringify(await corpus.ready(body));
    });
  }

  const documents = chosen(maliciousDocuments(SCALE)).filter(
    ({ kind }) => IS_LONG_FORM || SHORT_FORM_DOCUMENTS.includes(kind),
  );

  it.each(documents.map(({ kind, name }) => [kind, name]))('%s: %s', async (kind, name) => {
    const document = maliciousDocuments(SCALE).find((each) => each.kind === kind && each.name === name);
    if (!document) throw new Error('no such document');
    await using site = await TestSite.start({ '/': { type: document.type, body: document.body } });
    await crawled(site, '/');
  });

  it('robots.txt with rules that are slow to match', async () => {
    const path = `/${'a'.repeat(1500)}`;
    await using site = await TestSite.start({
      '/robots.txt': { type: 'text/plain', body: maliciousRobots(SCALE) },
      [path]: 'hello',
    });
    // A fast machine finishes within the time limit of the work pool.
    expect(await crawled(site, path)).toMatch(/robots\.txt (is too expensive to evaluate|forbids it)/u);
  });
});
