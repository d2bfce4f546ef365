import { afterAll, expect, it } from '@jest/globals';
import { findFreePorts } from '@calls/local-stack/free-port';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { speak } from '@calls/testkit/speech/speak';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { retainedEntries } from '../support/inspector.ts';
import { linearTrend } from '../support/linear-trend.ts';
import { startTestStack } from '../support/start-stack.ts';

/** Caches fill and code is compiled, so the first calls do not count. */
const WARM_UP_CALLS = 1000;
const BATCHES = 10;
const CALLS_PER_BATCH = 1000;
const AT_ONCE = 40;
/** One of this many calls is a voice call. */
const VOICE_EVERY = 5;
/** Permitted growth over all batches: of the heap as a fraction, of the others as counts. */
const MAX_GROWTH = { heap: 0.01, handles: 5, entries: 100 };
const TEST_LIMIT_MS = 1_800_000;

const standIn = await startAiStandIn({
  sttDelayMs: 20,
  llmFirstTokenMs: 20,
  llmTokenGapMs: 0,
  ttsFirstAudioMs: 20,
});
const inspectorPort = await findFreePorts(1);
const stack = await startTestStack({
  env: {
    NODE_OPTIONS: `--inspect-port=${inspectorPort}`,
    ...standIn.engineEnv,
  },
});
const api = new Api(stack);
const speech = await speak({ engine: 'flite', voice: 'slt', text: 'hello', sampleRateHz: 16_000 });

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

/** A media-worker metric summed over its labels. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://localhost:${stack.ports.metrics + 1}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  if (lines.length === 0) throw new Error(`no metric ${name}`);
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function shortCall(i: number): Promise<void> {
  await (i % VOICE_EVERY === 0 ? voiceCall(i / VOICE_EVERY) : textCall());
}

async function textCall(): Promise<void> {
  const { client } = await api.startCall(
    { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT', firstSpeakerSettings: { user: {} } },
    { keepAudio: false },
  );
  client.stopStreaming();
  await client.until('the call to start', () => client.messages.length > 0);
  client.send({ type: 'user_text_message', text: 'hello' });
  await client.until('a response', () => client.transcript.some(({ role }) => role === 'agent'));
  await client.hangUp();
}

/** Some callers hang up while engines work, some vanish, some wait for the response. */
async function voiceCall(i: number): Promise<void> {
  const { client } = await api.startCall({ firstSpeakerSettings: { user: {} } }, { keepAudio: false });
  await client.speak(speech);
  if (i % 5 === 0) client.cut();
  else if (i % 5 === 1) await client.hangUp();
  else {
    await client.until('a response', () => client.lastAudioMs > 0);
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

/** What the worker retains after garbage collection. */
interface Footprint {
  heapBytes: number;
  /** Sockets, timers and other resources of Node. */
  handles: number;
  /** Entries of all maps and sets, such as calls, caches and NATS subscriptions. */
  entries: number;
}

async function footprint(): Promise<Footprint> {
  const pid = stack.services['media-worker'].pid;
  if (pid === undefined) throw new Error('the media-worker does not run');
  const entries = await retainedEntries(pid, inspectorPort);
  return {
    entries,
    heapBytes: (await metric('nodejs_heap_size_used_bytes')) + (await metric('nodejs_external_memory_bytes')),
    handles: await metric('nodejs_active_resources_total'),
  };
}

it(
  'a media-worker retains no memory, handles or map entries after ten thousand calls',
  async () => {
    await manyCalls(WARM_UP_CALLS);
    const after = [await footprint()];
    for (let batch = 1; batch <= BATCHES; batch += 1) {
      await manyCalls(CALLS_PER_BATCH);
      const found = await footprint();
      after.push(found);
      const { heapBytes, handles, entries } = found;
      const megabytes = (heapBytes / 1024 ** 2).toFixed(1);
      process.stdout.write(
        `${batch * CALLS_PER_BATCH} calls: ${megabytes} MB, ${handles} handles, ${entries} entries\n`,
      );
    }
    const [first] = after;
    const growth = (part: keyof Footprint): number => linearTrend(after.map((each) => each[part]));
    expect(growth('heapBytes') / (first?.heapBytes ?? 0)).toBeLessThan(MAX_GROWTH.heap);
    expect(growth('handles')).toBeLessThan(MAX_GROWTH.handles);
    expect(growth('entries')).toBeLessThan(MAX_GROWTH.entries);
    expect(await metric('calls_slots_used')).toBe(0);
  },
  TEST_LIMIT_MS,
);
