import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findFreePorts } from '@calls/local-stack/free-port';
import type { Stack } from '@calls/local-stack/stack';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { speak } from '@calls/testkit/speech/speak';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { collectGarbage } from '../support/inspector.ts';
import { startTestStack } from '../support/start-stack.ts';

/** Memory reaches its plateau late, so the first calls do not count. */
const WARM_UP_CALLS = 200;
const CALLS = 1000;
const AT_ONCE = 40;
/** Permitted memory growth, far less than a thousand call sessions need. */
const MAX_GROWTH_BYTES = 5 * 1024 * 1024;

let standIn: AiStandIn;
let stack: Stack;
let api: Api;
let speech: Int16Array;
let inspectorPort: number;

beforeAll(async () => {
  standIn = await startAiStandIn({
    sttDelayMs: 20,
    llmFirstTokenMs: 20,
    llmTokenGapMs: 0,
    ttsFirstAudioMs: 20,
  });
  const { baseUrl } = standIn;
  inspectorPort = await findFreePorts(1);
  stack = await startTestStack({
    env: {
      NODE_OPTIONS: `--inspect-port=${inspectorPort}`,
      STT_BASE_URL: baseUrl,
      LLM_BASE_URL: baseUrl,
      LLM_MODEL: 'stand-in',
      TTS_BASE_URL: baseUrl,
    },
  });
  api = new Api(stack);
  speech = await speak({ engine: 'flite', voice: 'slt', text: 'hello', sampleRateHz: 16_000 });
}, 120_000);

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

/** A media worker metric summed over its labels. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://localhost:${stack.ports.metrics + 1}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  if (lines.length === 0) throw new Error(`no metric ${name}`);
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function shortCall(i: number): Promise<void> {
  const { client } = await api.startCall({ firstSpeakerSettings: { user: {} } }, { keepAudio: false });
  await client.speak(speech);
  // Some callers hang up while engines work, some vanish, some wait for the response.
  if (i % 5 === 0) client.cut();
  else if (i % 5 === 1) await client.hangUp();
  else {
    await client.until('an answer', () => client.lastAudioMs > 0, 15_000);
    await client.hangUp();
  }
}

async function manyCalls(count: number): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const i = next;
      next += 1;
      await shortCall(i);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  await eventually(async () => {
    if ((await metric('calls_held')) > 0) throw new Error('calls are still held');
  }, 30_000);
}

interface Footprint {
  heapBytes: number;
  handles: number;
}

/** Memory after garbage collection, which is still referenced. */
async function footprint(): Promise<Footprint> {
  const pid = stack.services['media-worker'].pid;
  if (pid === undefined) throw new Error('the media worker does not run');
  await collectGarbage(pid, inspectorPort);
  return {
    heapBytes: (await metric('nodejs_heap_size_used_bytes')) + (await metric('nodejs_external_memory_bytes')),
    handles: await metric('nodejs_active_resources_total'),
  };
}

it('a media worker leaks no memory or handles over a thousand calls', async () => {
  await manyCalls(WARM_UP_CALLS);
  const before = await footprint();
  await manyCalls(CALLS);
  const after = await footprint();
  const grownMb = (after.heapBytes - before.heapBytes) / 1024 / 1024;
  process.stdout.write(
    `${CALLS} calls: heap and external memory ${grownMb.toFixed(1)} MB more, handles ${before.handles} → ${after.handles}\n`,
  );
  expect(after.handles).toBeLessThanOrEqual(before.handles + 5);
  expect(after.heapBytes - before.heapBytes).toBeLessThan(MAX_GROWTH_BYTES);
  expect(await metric('calls_slots_used')).toBeLessThanOrEqual(3);
}, 420_000);
