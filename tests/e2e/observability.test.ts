import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Call } from '@calls/api-contract/rest/call';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { speak } from '@calls/testkit/speech/speak';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { declaredMetrics } from '../support/reference-lists.ts';
import { startSpanCollector, type CollectedSpan } from '../support/span-collector.ts';
import { startTestStack } from '../support/start-stack.ts';
import { startToolServer } from '../support/tool-server/start-tool-server.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** Trace header of a customer service with tracing. */
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const WORDS = {
  spoken: 'swordfish',
  answered: 'xylophone',
  written: 'marzipan',
  secret: 'a secret that signs',
};

const [collector, standIn, toolServer, receiver] = await Promise.all([
  startSpanCollector(),
  startAiStandIn(),
  startToolServer(),
  WebhookReceiver.start(),
]);
const stack = await startTestStack({
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    STT_BASE_URL: standIn.baseUrl,
    OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
  },
});
await standIn.control({
  stt: { replies: [`the word is ${WORDS.spoken}`] },
  llm: {
    rules: [
      {
        last: 'user',
        contains: WORDS.spoken,
        reply: { text: 'Let me see.', toolCalls: [{ name: 'look', arguments: {} }] },
      },
      { last: 'user', contains: WORDS.written, reply: 'Noted.' },
      { last: 'tool', contains: '', reply: `It is the ${WORDS.answered}.` },
    ],
  },
});
await toolServer.script('/look', { body: { found: WORDS.answered } });
const call = await makeCall();

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  for (const part of [receiver, toolServer, standIn, collector]) await part[Symbol.asyncDispose]();
});

/** Runs one call until all its webhooks are delivered. */
async function makeCall(): Promise<Call> {
  const api = new Api(stack);
  const events = ['call.started', 'call.joined', 'call.ended', 'call.billed'];
  await api.request('POST', '/api/webhooks', { url: receiver.url, events, secrets: [WORDS.secret] });
  const created = await fetch(`${stack.apiUrl}/api/calls`, {
    method: 'POST',
    headers: {
      'x-api-key': stack.developmentKey,
      'content-type': 'application/json',
      traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
    },
    body: JSON.stringify({
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      firstSpeakerSettings: { agent: { text: 'Good morning.' } },
      selectedTools: [
        {
          temporaryTool: {
            modelToolName: 'look',
            description: 'Looks.',
            // A busy machine may respond late.
            timeout: '40s',
            http: { baseUrlPattern: `${toolServer.url}/look`, httpMethod: 'POST' },
          },
        },
      ],
    }),
  });
  const made = (await created.json()) as Call;
  const client = await api.join(made);
  await client.until(
    'the end of the greeting',
    () => client.state === 'listening' && client.transcript.length > 0,
  );
  const text = `the word is ${WORDS.spoken}`;
  await client.speak(await speak({ engine: 'flite', voice: 'slt', text, sampleRateHz: 16_000 }));
  await client.until('the answer', () => client.transcript.at(-1)?.text.includes(WORDS.answered) === true);
  await client.until('the end of the answer', () => client.state === 'listening');
  client.send({ type: 'user_text_message', text: WORDS.written });
  await client.until('the answer by text', () => client.transcript.at(-1)?.text.includes('Noted') === true);
  await client.hangUp();
  // One may be delivered again.
  await eventually(() => expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(events.length));
  return api.endedCall(made.callId);
}

/** Spans of the call trace, after the last one has arrived. */
async function spansOfTrace(): Promise<CollectedSpan[]> {
  await eventually(() => {
    const names = ofTrace().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['call', 'job summarize_call']));
    expect(names.filter((name) => name === 'deliver webhook')).toHaveLength(receiver.received.length);
    // Each service sends its spans every 500 ms, so that children can arrive before their parents.
    const spanIds = new Set(ofTrace().map(({ spanId }) => spanId));
    expect(ofTrace().filter(({ parentSpanId }) => !spanIds.has(parentSpanId))).toMatchObject([
      { parentSpanId: CALLER.spanId },
    ]);
  });
  return ofTrace();
}

function ofTrace(): CollectedSpan[] {
  return collector.spans.filter(({ traceId }) => traceId === CALLER.traceId);
}

describe('a call trace', () => {
  it('spans the create request, all services and the last webhook', async () => {
    const spans = await spansOfTrace();
    const parentOf = ({ parentSpanId }: CollectedSpan): string =>
      parentSpanId === CALLER.spanId
        ? 'the caller'
        : (spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? 'none');
    // One delivery job serves all pending deliveries of a receiver, for any call.
    const own = spans.filter(({ name }) => name !== 'job serve_receiver');
    const links = new Set(own.map((span) => `${span.service}: ${span.name} < ${parentOf(span)}`));
    expect([...links].sort()).toEqual(
      [
        'control-plane: POST /api/calls < the caller',
        'control-plane: create call < POST /api/calls',
        'control-plane: publish created call < create call',
        'media-worker: wait for admission < create call',
        'media-worker: call < create call',
        'media-worker: wait for client < call',
        'media-worker: turn < call',
        ...['speech to text', 'end of turn', 'language model', 'text to speech', 'playout'].map(
          (part) => `media-worker: ${part} < turn`,
        ),
        ...['text to speech', 'playout'].map((part) => `media-worker: ${part} < greeting`),
        'media-worker: greeting < call',
        'media-worker: tool request < call',
        'control-plane: apply call event < call',
        'dispatcher: job summarize_call < apply call event',
        'dispatcher: deliver webhook < create call',
        'dispatcher: deliver webhook < apply call event',
      ].sort(),
    );
    const turns = spans.filter(({ name }) => name === 'turn');
    // Speech with a gap is two turns.
    const media = turns.map(({ attributes }) => attributes['turn.medium']);
    expect(media).toEqual([...media.slice(0, -1).map(() => 'voice'), 'text']);
    expect(media.length).toBeGreaterThan(1);
    const partsOfText = spans.filter(({ parentSpanId }) => parentSpanId === turns.at(-1)?.spanId);
    expect(partsOfText.map(({ name }) => name)).toEqual(['language model', 'text to speech', 'playout']);
    expect(spans.filter(({ failed }) => failed)).toEqual([]);
    expect(spans.find(({ name }) => name === 'call')?.attributes).toEqual({
      'call.id': call.callId,
      'account.id': expect.any(String),
      'call.admission_class': 'standard',
      'call.medium': 'serverWebSocket',
      'call.epoch': 1,
      'call.end_reason': 'hangup',
      'call.outcome': 'ended',
    });
    expect(spans.find(({ name }) => name === 'POST /api/calls')?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/calls',
      'http.response.status_code': 201,
    });
  });

  it('is propagated to tools and webhooks', async () => {
    const spans = await spansOfTrace();
    const spanIds = (name: string): string[] =>
      spans.filter((span) => span.name === name).map(({ spanId }) => `00-${CALLER.traceId}-${spanId}-01`);
    const asked = (await toolServer.requests('/look')).map(({ headers }) => headers['traceparent']);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.sort()).toEqual(spanIds('tool request').sort());
    const propagated = receiver.received.map(({ headers }) => headers['traceparent']);
    expect(propagated.sort()).toEqual(spanIds('deliver webhook').sort());
  });

  it('contains no spoken words and no secrets', async () => {
    await spansOfTrace();
    const all = Buffer.concat(collector.bodies);
    expect(all.includes(call.callId)).toBe(true);
    for (const word of [...Object.values(WORDS), stack.developmentKey])
      expect(all.includes(word)).toBe(false);
  });

  it('is referenced by the log lines of every service', async () => {
    const directory = join(stack.directory.root, 'logs');
    const names = await readdir(directory);
    const lines = (await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8'))))
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const ofCall = lines.filter(({ traceId }) => traceId === CALLER.traceId);
    const logged = ofCall.map(({ service, msg }) => `${String(service)}: ${String(msg)}`);
    expect(logged).toEqual(
      expect.arrayContaining([
        'control-plane: request',
        'control-plane: call created',
        'media-worker: call ended or moved to another worker',
      ]),
    );
    const callIds = lines.filter(({ callId }) => callId === call.callId);
    expect(callIds.length).toBeGreaterThan(1);
    expect(callIds.filter(({ traceId }) => typeof traceId !== 'string')).toEqual([]);
  });
});

describe('the metrics of each service', () => {
  /** Consecutive metrics ports, one per service. */
  const shown = async (service: string, place: number): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${stack.ports.metrics + place}/metrics`);
    const text = await response.text();
    expect(text).toContain(`service="${service}"`);
    return text;
  };
  const services = ['control-plane', 'media-worker', 'dispatcher'];

  it.each(services.map((service, place) => [service, place] as const))(
    'match the metrics that the code declares: %s',
    async (service, place) => {
      const text = await shown(service, place);
      const found = [...text.matchAll(/^# TYPE (calls_\w+) (\w+)$/gmu)].map(
        ([, name, type]) => `${name} ${type}`,
      );
      const declared = declaredMetrics()
        .filter(({ process }) => [service, 'every process'].includes(process))
        .map(({ name, type }) => `${name} ${type}`);
      expect(found.sort()).toEqual(declared.sort());
      expect(text).toContain('# TYPE nodejs_eventloop_lag_p99_seconds gauge');
    },
  );

  it.each(services.map((service, place) => [service, place] as const))(
    'have the declared labels: %s',
    async (service, place) => {
      const declared = declaredMetrics();
      const samples = (await shown(service, place)).matchAll(/^(calls_\w+)\{([^}]*)\}/gmu);
      const issues = [...samples].flatMap(([, series = '', labels = '']) => {
        const name = series.replace(/_(?:bucket|sum|count)$/u, '');
        const metric = declared.find((each) => each.name === series || each.name === name);
        return [...labels.matchAll(/(\w+)="/gu)]
          .map(([, label = '']) => label)
          .filter((label) => ![...(metric?.labels ?? []), 'service', 'le'].includes(label))
          .map((label) => `${series}: ${label}`);
      });
      expect([...new Set(issues)]).toEqual([]);
    },
  );

  it('count the admission, join, response and end of a call', async () => {
    const value = (text: string, series: RegExp): number => Number(series.exec(text)?.[1] ?? NaN);
    // Metrics from database counts are refreshed every 5 s.
    const plane = await eventually(async () => {
      const text = await shown('control-plane', 0);
      expect(value(text, /^calls_live\{state="joined",.*\} (.*)$/mu)).toBe(0);
      return text;
    });
    // The call leaves the worker shortly after its end is stored.
    const worker = await eventually(async () => {
      const text = await shown('media-worker', 1);
      expect(value(text, /^calls_left_total\{outcome="ended",.*\} (.*)$/mu)).toBe(1);
      return text;
    });
    expect(value(plane, /^calls_ended_total\{reason="hangup",.*\} (.*)$/mu)).toBe(1);
    expect(value(plane, /^calls_event_lag_ms_count\{.*\} (.*)$/mu)).toBeGreaterThan(2);
    expect(value(worker, /^calls_admission_wait_ms_count\{.*class="standard".*\} (.*)$/mu)).toBe(1);
    expect(value(worker, /^calls_joins_total\{outcome="joined",.*\} (.*)$/mu)).toBe(1);
    const voiceTurns = ofTrace().filter(({ attributes }) => attributes['turn.medium'] === 'voice').length;
    const sent = value(worker, /^calls_turn_latency_ms_count\{.*stage="first_audio_sent".*\} (.*)$/mu);
    expect(sent).toBeGreaterThanOrEqual(1);
    expect(sent).toBeLessThanOrEqual(voiceTurns);
    expect(value(worker, /^calls_vad_batch_windows_count\{.*\} (.*)$/mu)).toBeGreaterThan(20);
  });
});
