import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { ConversationServices } from '@calls/conversation/session/services';
import type { ResponseStart } from '@calls/conversation/session/response-start';
import type { TurnLatency } from '@calls/conversation/session/turn-latency';
import type { Clock } from '@calls/foundation/clock';
import {
  newTraceContext,
  parseTraceparent,
  runInTrace,
  traceparentOf,
  type TraceContext,
} from '@calls/foundation/trace-context';
import { inSpan, type Span, type SpanOptions, type Tracing } from '@calls/telemetry/tracing/span';
import type { CallLogWriter } from '../call-log/call-log-writer.ts';
import { enginesWithin, type Within } from './engines-within.ts';

/** The trace context of the call's creation, or a new one. */
export function originOf(created: CreatedCall): TraceContext {
  return parseTraceparent(created.trace) ?? newTraceContext(null);
}

/**
 * A call's time on this worker as spans. `call` lasts from its lease to its end here; it contains the wait for the
 * client, turns, tool requests and the data connection. The span of a greeting or a turn is recorded after its first
 * audio or text was sent, to avoid delays.
 */
export class CallTrace {
  readonly #tracing: Tracing;
  readonly #clock: Clock;
  readonly #callId: string;
  readonly #span: Span;
  readonly #within: Within;
  #waiting: Span | null;

  constructor(
    deps: { tracing: Tracing; clock: Clock },
    call: { created: CreatedCall; origin: TraceContext; epoch: number; isJoined: boolean },
  ) {
    const { created, origin, epoch } = call;
    this.#tracing = deps.tracing;
    this.#clock = deps.clock;
    this.#callId = created.spec.callId;
    this.#span = deps.tracing.start('call', {
      kind: 'consumer',
      parent: origin,
      attributes: {
        'call.id': this.#callId,
        'account.id': created.spec.accountId,
        'call.admission_class': created.admissionClass,
        'call.medium': created.spec.medium.kind,
        'call.epoch': epoch,
      },
    });
    this.#within = (run) => runInTrace(this.#span.trace, run, this.#callId);
    if (epoch === 1) {
      const startedAtMs = Math.min(created.spec.createdAtMs, this.#clock.wallMs());
      deps.tracing.start('wait for admission', { parent: origin, startedAtMs }).end();
    }
    this.#waiting = call.isJoined ? null : this.#start('wait for client');
  }

  /** Wraps a writer so that its entries carry the call's trace. */
  events(writer: Pick<CallLogWriter, 'write'>): Pick<CallLogWriter, 'write'> {
    return {
      write: (body, wallClockMs) => {
        this.#note(body);
        this.#within(() => writer.write(body, wallClockMs));
      },
    };
  }

  /**
   * Wraps services so that their log lines name the call, and requests of tools and data connections carry its trace.
   */
  services(shared: ConversationServices): ConversationServices {
    const { metrics, tools, dataConnections } = shared;
    return {
      ...shared,
      ...enginesWithin(this.#within, shared),
      metrics: {
        ...metrics,
        turnResponded: (latency) => {
          metrics.turnResponded(latency);
          this.#turnAnswered(latency);
        },
        responseStarted: (start) => {
          metrics.responseStarted(start);
          this.#responseStarted(start);
        },
      },
      dataConnections: {
        open: (call, listener) => {
          const span = this.#start('data connection');
          const connection = runInTrace(span.trace, () => dataConnections.open(call, listener), this.#callId);
          return {
            send: (message) => connection.send(message),
            writeAudio: connection.writeAudio,
            close: (reason) => connection.close(reason).finally(() => span.end()),
          };
        },
      },
      tools: {
        ...tools,
        corpora: { query: (query, signal) => this.#within(() => tools.corpora.query(query, signal)) },
        stages: { resolve: (request, signal) => this.#within(() => tools.stages.resolve(request, signal)) },
        http: {
          send: (request, options) => {
            const attributes = { 'http.request.method': request.method };
            return this.#within(() =>
              inSpan(this.#tracing, 'tool request', { kind: 'client', attributes }, async (span) => {
                const headers = { traceparent: traceparentOf(span.trace), ...request.headers };
                const response = await tools.http.send({ ...request, headers }, options);
                span.set({ 'http.response.status_code': response.status });
                return response;
              }),
            );
          },
        },
      },
    };
  }

  /** The call has left this worker. */
  end(outcome: string): void {
    this.#stopWaiting();
    this.#span.set({ 'call.outcome': outcome });
    this.#span.end();
  }

  #note(body: CallLogEntryBody): void {
    if (body.type === 'joined') this.#stopWaiting();
    if (body.type === 'ended') this.#span.set({ 'call.end_reason': body.endReason });
    if (body.type === 'ended' && body.endReason === 'system_error') this.#span.fail(body.endReason);
  }

  #turnAnswered(latency: TurnLatency): void {
    const { sampled } = this.#span.trace;
    if (!sampled) return;
    const endedAtMs = this.#clock.wallMs();
    const startedAtMs = endedAtMs - latency.firstAudioSentMs;
    const turn = this.#start('turn', { startedAtMs, attributes: { 'turn.medium': 'voice' } });
    const part = this.#partsOf(turn, startedAtMs);
    const { transcriptMs, decidedMs, firstTokenMs, firstAudioMs, firstAudioSentMs } = latency;
    part('speech to text', 0, transcriptMs);
    part('end of turn', 0, decidedMs);
    // A speculative generation may have text and audio before the end of the turn.
    part('language model', decidedMs, firstTokenMs);
    part('text to speech', firstTokenMs ?? decidedMs, firstAudioMs);
    part('playout', Math.max(decidedMs, firstAudioMs ?? 0), firstAudioSentMs);
    turn.end(endedAtMs);
  }

  /** A text message has no speech to text and no end of turn; a response as text has neither speech nor playout. */
  #responseStarted(start: ResponseStart): void {
    if (!this.#span.trace.sampled) return;
    const endedAtMs = this.#clock.wallMs();
    const startedAtMs = endedAtMs - start.firstOutputMs;
    const { generationStartedMs, firstTokenMs, firstAudioMs, firstOutputMs } = start;
    const span =
      start.trigger === 'greeting'
        ? this.#start('greeting', { startedAtMs })
        : this.#start('turn', { startedAtMs, attributes: { 'turn.medium': 'text' } });
    const part = this.#partsOf(span, startedAtMs);
    part('language model', generationStartedMs, firstTokenMs);
    part('text to speech', firstTokenMs ?? generationStartedMs, firstAudioMs);
    if (firstAudioMs !== null) part('playout', firstAudioMs, firstOutputMs);
    span.end(endedAtMs);
  }

  /** Records parts of a span, in milliseconds after its start. Skips parts without an end. */
  #partsOf(whole: Span, startedAtMs: number): (name: string, fromMs: number, toMs: number | null) => void {
    return (name, fromMs, toMs) => {
      if (toMs === null) return;
      const part = this.#tracing.start(name, {
        parent: whole.trace,
        startedAtMs: startedAtMs + Math.min(fromMs, toMs),
      });
      part.end(startedAtMs + toMs);
    };
  }

  #stopWaiting(): void {
    this.#waiting?.end();
    this.#waiting = null;
  }

  #start(name: string, options: Omit<SpanOptions, 'parent'> = {}): Span {
    return this.#tracing.start(name, { ...options, parent: this.#span.trace });
  }
}
