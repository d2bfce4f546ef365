import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import {
  currentTrace,
  currentTraceparent,
  newTraceContext,
  traceparentOf,
  type TraceContext,
} from '@calls/foundation/trace-context';
import type { Span, SpanAttributes, SpanOptions, Tracing } from '@calls/telemetry/tracing/span';
import { callSpec } from '@calls/testkit/call-spec';
import { scriptedServices } from '@calls/testkit/scripted/scripted-services';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { endedEntry } from '@calls/testkit/ended-entry';
import { CallTrace, originOf } from './call-trace.ts';

interface Recorded {
  name: string;
  parent: string | undefined;
  trace: TraceContext;
  fromMs: number;
  toMs: number | null;
  attributes: SpanAttributes;
  failed: string | null;
}

/** Records every span. */
class RecordedSpans implements Tracing {
  readonly spans: Recorded[] = [];
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  start(name: string, { parent = currentTrace(), startedAtMs, attributes }: SpanOptions = {}): Span {
    const trace = newTraceContext(parent);
    const fromMs = startedAtMs ?? this.#clock.wallMs();
    const span: Recorded = {
      name,
      parent: parent?.spanId,
      trace,
      fromMs,
      toMs: null,
      attributes: { ...attributes },
      failed: null,
    };
    this.spans.push(span);
    return {
      trace,
      set: (more) => void Object.assign(span.attributes, more),
      rename: (to) => void (span.name = to),
      fail: (code) => void (span.failed = code),
      end: (atMs) => void (span.toMs = atMs ?? this.#clock.wallMs()),
    };
  }

  get(name: string): Recorded {
    const span = this.spans.find((one) => one.name === name);
    if (!span) throw new Error(`no span ${name}`);
    return span;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

async function start(options: { sampled?: boolean; epoch?: number; isJoined?: boolean } = {}) {
  const { sampled = true, epoch = 1, isJoined = false } = options;
  const clock = new VirtualClock();
  const origin = { ...newTraceContext(null), sampled };
  const spec = callSpec({ createdAtMs: clock.wallMs() });
  const created: CreatedCall = { admissionClass: 'priority', spec, trace: traceparentOf(origin) };
  await clock.advance(700);
  const tracing = new RecordedSpans(clock);
  const trace = new CallTrace({ tracing, clock }, { created, origin: originOf(created), epoch, isJoined });
  return { clock, origin, spec, tracing, trace };
}

const joined: CallLogEntryBody = { type: 'joined', clientVersion: null, workerId: 'w1' };
const ended: CallLogEntryBody = endedEntry({ joinedAtMs: 0 });

describe('CallTrace', () => {
  it('has spans for the wait for admission, the wait for the client, and the call', async () => {
    const { clock, origin, spec, tracing, trace } = await start();
    const written: (string | undefined)[] = [];
    const events = trace.events({ write: ({ type }) => void written.push(type, currentTraceparent()) });
    await clock.advance(300);
    events.write(joined);
    await clock.advance(5000);
    events.write(ended);
    trace.end('ended');
    const call = tracing.get('call');
    const at = spec.createdAtMs;
    expect(call).toMatchObject({
      parent: origin.spanId,
      fromMs: at + 700,
      toMs: at + 6000,
      attributes: {
        'call.id': spec.callId,
        'call.admission_class': 'priority',
        'call.end_reason': 'hangup',
        'call.outcome': 'ended',
      },
      failed: null,
    });
    expect(tracing.get('wait for admission')).toMatchObject({
      parent: origin.spanId,
      fromMs: at,
      toMs: at + 700,
    });
    expect(tracing.get('wait for client')).toMatchObject({
      parent: call.trace.spanId,
      fromMs: at + 700,
      toMs: at + 1000,
    });
    const traceparent = traceparentOf(call.trace);
    expect(written).toEqual(['joined', traceparent, 'ended', traceparent]);
  });

  it('has no wait spans when the call was joined on another worker', async () => {
    const { tracing, trace } = await start({ epoch: 2, isJoined: true });
    trace.end('fenced');
    expect(tracing.spans.map(({ name }) => name)).toEqual(['call']);
  });

  it('has spans for the measured stages of each turn', async () => {
    const { clock, tracing, trace } = await start();
    const { metrics } = trace.services(scriptedServices(clock));
    metrics.turnResponded({
      endpointMs: 400,
      transcriptMs: 250,
      decidedMs: 450,
      // The generation started before the end of the turn.
      firstTokenMs: 430,
      firstAudioMs: 520,
      firstAudioSentMs: 540,
    });
    const call = tracing.get('call');
    const turn = tracing.get('turn');
    const end = clock.wallMs();
    expect(turn).toMatchObject({ parent: call.trace.spanId, fromMs: end - 540, toMs: end });
    const parts = tracing.spans.filter(({ parent }) => parent === turn.trace.spanId);
    expect(
      parts.map(({ name, fromMs, toMs }) => [name, fromMs - turn.fromMs, (toMs ?? 0) - turn.fromMs]),
    ).toEqual([
      ['speech to text', 0, 250],
      ['end of turn', 0, 450],
      ['language model', 430, 430],
      ['text to speech', 430, 520],
      ['playout', 520, 540],
    ]);
  });

  it('has spans for the stages of a greeting and of a turn by text', async () => {
    const { clock, tracing, trace } = await start();
    const { metrics } = trace.services(scriptedServices(clock));
    await clock.advance(1000);
    metrics.responseStarted({
      ...{ trigger: 'greeting', medium: 'voice', generationStartedMs: 0 },
      ...{ firstTokenMs: 200, firstAudioMs: 320, firstOutputMs: 340 },
    });
    metrics.responseStarted({
      ...{ trigger: 'text_message', medium: 'text', generationStartedMs: 10 },
      ...{ firstTokenMs: 90, firstAudioMs: null, firstOutputMs: 95 },
    });
    const partsOf = (name: string) => {
      const whole = tracing.get(name);
      expect(whole).toMatchObject({ parent: tracing.get('call').trace.spanId, toMs: clock.wallMs() });
      return tracing.spans
        .filter(({ parent }) => parent === whole.trace.spanId)
        .map((part) => [part.name, part.fromMs - whole.fromMs, (part.toMs ?? 0) - whole.fromMs]);
    };
    expect(partsOf('greeting')).toEqual([
      ['language model', 0, 200],
      ['text to speech', 200, 320],
      ['playout', 320, 340],
    ]);
    expect(partsOf('turn')).toEqual([['language model', 10, 90]]);
    expect(tracing.get('turn').attributes).toEqual({ 'turn.medium': 'text' });
  });

  it('creates no turn span when the trace is not sampled', async () => {
    const { clock, tracing, trace } = await start({ sampled: false });
    trace.services(scriptedServices(clock)).metrics.turnResponded({
      endpointMs: 1,
      transcriptMs: 1,
      decidedMs: 1,
      firstTokenMs: null,
      firstAudioMs: null,
      firstAudioSentMs: 1,
    });
    expect(tracing.spans.map(({ name }) => name)).not.toContain('turn');
  });

  it('is propagated to HTTP tools', async () => {
    const { clock, tracing, trace } = await start();
    const shared = scriptedServices(clock);
    const asked: unknown[] = [];
    const { tools } = trace.services({
      ...shared,
      tools: {
        ...shared.tools,
        http: {
          send: (request) => {
            asked.push(request.headers);
            return Promise.resolve({ status: 404, headers: {}, body: '' });
          },
        },
      },
    });
    const request = { method: 'GET' as const, url: 'https://tool.test/secret', body: undefined };
    const options = { accountId: 'account', timeoutMs: 1000, signal: new AbortController().signal };
    await tools.http.send({ ...request, headers: { a: 'b' } }, options);
    const span = tracing.get('tool request');
    expect(span).toMatchObject({
      parent: tracing.get('call').trace.spanId,
      attributes: { 'http.request.method': 'GET', 'http.response.status_code': 404 },
    });
    expect(asked).toEqual([{ a: 'b', traceparent: traceparentOf(span.trace) }]);
    expect(JSON.stringify(tracing.spans)).not.toContain('secret');
  });

  it('is the current trace during LLM and STT requests', async () => {
    const { clock, tracing, trace } = await start();
    const asked: (string | undefined)[] = [];
    const note = (): void => void asked.push(currentTraceparent());
    const { languageModel, speechToText } = trace.services({
      ...scriptedServices(clock),
      languageModel: {
        acceptsAudio: () => false,
        async *respond() {
          note();
          yield { type: 'text', text: 'a' };
          await Promise.resolve();
          note();
        },
      },
      speechToText: {
        open: () => ({
          push: () => undefined,
          finalize: () => {
            note();
            return Promise.resolve({ text: 'b' });
          },
          interims: Readable.from([]),
          close: () => undefined,
        }),
      },
    });
    const { signal } = new AbortController();
    const chunks = [];
    for await (const chunk of languageModel.respond({ model: 'm', messages: [], temperature: 0 }, signal)) {
      chunks.push(chunk);
    }
    expect(chunks).toEqual([{ type: 'text', text: 'a' }]);
    expect(await speechToText.open({ languageHint: null }, signal).finalize()).toEqual({ text: 'b' });
    expect(asked).toEqual(Array(3).fill(traceparentOf(tracing.get('call').trace)));
    expect(currentTraceparent()).toBeUndefined();
  });

  it('has a span for the data connection, which is opened within it', async () => {
    const { clock, tracing, trace } = await start();
    const opened: (string | undefined)[] = [];
    const { dataConnections } = trace.services({
      ...scriptedServices(clock),
      dataConnections: {
        open: () => {
          opened.push(currentTraceparent());
          return { send: () => undefined, writeAudio: null, close: () => clock.advance(50) };
        },
      },
    });
    const config = { url: 'wss://customer.test', headers: {}, dataMessages: {}, audio: null };
    const connection = dataConnections.open(
      { callId: 'c', sharedSecrets: [], config },
      { onMessage: () => undefined, onNote: () => undefined },
    );
    const span = tracing.get('data connection');
    expect(opened).toEqual([traceparentOf(span.trace)]);
    await clock.advance(1000);
    expect(span.toMs).toBeNull();
    await connection.close('call_ended');
    expect(span.toMs).toBe(span.fromMs + 1050);
  });
});

describe('originOf', () => {
  it('returns the trace in which the call was created, or a new trace', () => {
    const created: CreatedCall = { admissionClass: 'standard', spec: callSpec() };
    expect(originOf(created).traceId).toMatch(/^[\da-f]{32}$/u);
    const origin = newTraceContext(null);
    expect(originOf({ ...created, trace: traceparentOf(origin) })).toEqual(origin);
  });
});
