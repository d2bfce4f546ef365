import type { CreatedCall } from '@calls/api-contract';
import {
  connectBus,
  createCallSeal,
  type Bus,
  type CallSeal,
  type CreatedCallDelivery,
  type Lease,
} from '@calls/bus';
import {
  heuristicEndOfTurn,
  Pacer,
  type ConversationServices,
  type VoiceActivityEngine,
} from '@calls/conversation';
import { StoredTraces, WavRecordings } from '@calls/call-objects';
import { Disposables, systemClock, toError, withoutWords, type Clock, type Logger } from '@calls/foundation';
import { createCallTokens, createJoinTokens } from '@calls/join-token';
import { FileStorage } from '@calls/object-storage';
import { callSignatureHeaders, createOutboundHttp, type OutboundHttp } from '@calls/outbound-http';
import {
  createProviders,
  createSileroEngine,
  LOCAL_FALLBACK_VOICE,
  transcriptionLimitMs,
  type Providers,
} from '@calls/providers';
import { createMetrics, startMetricsServer, type Metrics } from '@calls/telemetry';
import { Admission } from './admission/admission.ts';
import { Slots } from './admission/slots.ts';
import { ClipLibrary } from './background-audio/clip-library.ts';
import { CallRegistry } from './calls/call-registry.ts';
import { HeldCall } from './calls/held-call.ts';
import type { MediaWorkerConfig } from './config.ts';
import { createControlPlaneQueries } from './control-plane-queries/control-plane-queries.ts';
import { createDataConnections } from './data-connections/data-connections.ts';
import { CallEventWriter } from './events/call-event-writer.ts';
import { startJoinServer } from './join/join-server.ts';
import { countEngineFaults } from './metrics/engine-faults.ts';
import { createSessionMetrics } from './metrics/session-metrics.ts';
import { createToolHttp } from './tools/tool-http.ts';

const ANNOUNCE_EVERY_MS = 2000;
/** How long events may still be sent after the last call has ended. */
const FLUSH_LIMIT_MS = 3000;
/** The caller is to hear something within 3 s of silence from any engine: this and the longest default stay below it. */
const TRANSCRIPTION_MARGIN_MS = 250;

export interface MediaWorker extends AsyncDisposable {
  readonly mediaPort: number;
  readonly metricsPort: number;
}

export async function createMediaWorker(config: MediaWorkerConfig, log: Logger): Promise<MediaWorker> {
  const clock = systemClock;
  const parts = new Disposables(log);
  try {
    const metrics = createMetrics({ service: 'media-worker' });
    const bus = await connectBus({ url: config.natsUrl, name: config.workerId, log });
    parts.add('bus', () => bus[Symbol.asyncDispose]());
    const outbound = createOutboundHttp({ ...config.providers.outbound, clock });
    parts.add('outbound connections', () => outbound[Symbol.asyncDispose]());
    const onFault = countEngineFaults(metrics);
    const providers = createProviders(config.providers, { clock, log, outbound, onFault });
    parts.add('providers', () => providers[Symbol.asyncDispose]());
    const voiceActivity = await createSileroEngine({ log, clock });
    parts.add('voice activity', () => voiceActivity[Symbol.asyncDispose]());
    const slots = new Slots(config.capacity);
    const calls = new CallRegistry(clock);
    watchCalls(metrics, slots, calls);
    const host = new CallHost({
      bus,
      callSeal: createCallSeal(config.joinTokenSecret),
      calls,
      slots,
      clock,
      log,
      services: conversationServices(config, {
        bus,
        providers,
        outbound,
        voiceActivity,
        metrics,
        clock,
        log,
      }),
    });
    let draining = false;
    const joinServer = await startJoinServer({
      port: config.mediaPort,
      tokens: createJoinTokens(config.joinTokenSecret),
      calls,
      hasRoom: () => slots.hasRoom('standard'),
      clock,
      log,
    });
    parts.add('join server', () => joinServer[Symbol.asyncDispose]());
    const metricsServer = await startMetricsServer({
      port: config.metricsPort,
      metrics,
      checks: {
        nats: () => bus.ping(),
        admission: () => (draining ? Promise.reject(new Error('draining')) : Promise.resolve()),
      },
    });
    parts.add('metrics server', () => metricsServer[Symbol.asyncDispose]());
    const announcing = await announce({ config, bus, calls, slots, clock, log });
    parts.add('announcement', announcing);
    parts.add('calls', () => host.drain(config.drainLimitMs));
    const admission = new Admission({
      bus,
      holder: { workerId: config.workerId, url: config.workerUrl },
      slots,
      clock,
      log,
      onAdmitted: (delivery, lease) => host.admit(delivery, lease),
    });
    parts.add('admission', () => admission.stop());
    parts.add('readiness', () => {
      draining = true;
    });
    log.info({ workerId: config.workerId, capacity: config.capacity }, 'media worker takes calls');
    return {
      mediaPort: joinServer.port,
      metricsPort: metricsServer.port,
      [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await parts[Symbol.asyncDispose]();
    throw thrown;
  }
}

interface CallHostOptions {
  bus: Bus;
  callSeal: CallSeal;
  calls: CallRegistry;
  slots: Slots;
  services: ConversationServices;
  clock: Clock;
  log: Logger;
}

/** Holds the admitted calls: from the lease to the last event. */
class CallHost {
  readonly #options: CallHostOptions;
  readonly #writers = new Set<CallEventWriter>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: CallHostOptions) {
    this.#options = options;
  }

  /** Takes over a call and its slot. */
  async admit(delivery: CreatedCallDelivery, lease: Lease): Promise<void> {
    const { bus, calls, services, clock, log } = this.#options;
    const { callId, retention } = delivery.call.spec;
    const ownLog = log.child({ callId });
    const callLog = retention === 'zdr' ? withoutWords(ownLog) : ownLog;
    const { spec } = this.#opened(delivery.call, callLog);
    const events = new CallEventWriter({
      call: spec,
      epoch: lease.epoch,
      after: null,
      bus,
      clock,
      log: callLog,
      onFenced: () => call.end('system_error'),
    });
    const call = new HeldCall({ spec, lease, services, events, log: callLog });
    this.#writers.add(events);
    calls.add(call);
    const commands = bus.serveCallCommands(spec.callId, (command) => call.command(command));
    void call.ended.then(() => commands[Symbol.dispose]());
    const running = this.#see(call, events, callLog).finally(() => this.#running.delete(running));
    this.#running.add(running);
    await delivery.ack().catch((thrown: unknown) => {
      // It will be delivered again; the lease is ours, so nobody else runs it meanwhile.
      callLog.warn({ err: toError(thrown) }, 'taking the call could not be acknowledged');
    });
  }

  /** With its secrets or, where they can't be opened, as it came: its voice then fails, and the fallback voice speaks. */
  #opened(call: CreatedCall, log: Logger): CreatedCall {
    try {
      return this.#options.callSeal.open(call);
    } catch (thrown) {
      log.error(
        { err: toError(thrown) },
        'secrets of a call can not be opened: is JOIN_TOKEN_SECRET the same?',
      );
      return call;
    }
  }

  /** Lets calls go on for `limitMs`, then ends them; resolves when all events are sent or given up. */
  async drain(limitMs: number): Promise<void> {
    const { calls, clock } = this.#options;
    for (const call of calls.all()) if (!call.isJoined) call.end('unjoined');
    const limit = clock.setTimer(limitMs, () => {
      for (const call of calls.all()) call.end('system_error');
    });
    const giveUp = clock.setTimer(limitMs + FLUSH_LIMIT_MS, () => {
      for (const writer of this.#writers) writer.abandon();
    });
    await Promise.all(this.#running);
    limit.cancel();
    giveUp.cancel();
  }

  async #see(call: HeldCall, events: CallEventWriter, log: Logger): Promise<void> {
    const { bus, calls, slots } = this.#options;
    const endReason = await call.ended;
    calls.remove(call);
    slots.release();
    log.info({ endReason }, 'call ended');
    await events.flushed();
    this.#writers.delete(events);
    await bus.leases.end(call.lease).catch((thrown: unknown) => {
      log.warn({ err: toError(thrown) }, 'the lease could not be released');
    });
  }
}

function conversationServices(
  config: MediaWorkerConfig,
  parts: {
    bus: Bus;
    providers: Providers;
    outbound: OutboundHttp;
    voiceActivity: VoiceActivityEngine;
    metrics: Metrics;
    clock: Clock;
    log: Logger;
  },
): ConversationServices {
  const { bus, providers, outbound, voiceActivity, metrics, clock, log } = parts;
  const storage = new FileStorage(config.objectStorage.directory);
  return {
    voiceActivity,
    speechToText: providers.speechToText,
    endOfTurn: heuristicEndOfTurn,
    languageModel: providers.languageModel,
    textToSpeech: providers.textToSpeech,
    fallbackVoice: LOCAL_FALLBACK_VOICE,
    backgroundClips: new ClipLibrary({ outbound }),
    recordings: new WavRecordings({ storage, clock, log }),
    traces: config.keepsTraces ? new StoredTraces({ storage, clock, log }) : null,
    tools: {
      ...createControlPlaneQueries(bus, config.joinTokenSecret),
      http: createToolHttp(outbound),
      callTokens: createCallTokens(config.joinTokenSecret),
      signatureHeaders: (callId, secrets) => callSignatureHeaders(callId, secrets, clock.wallMs()),
    },
    dataConnections: createDataConnections({ outbound, clock }),
    pacer: new Pacer(clock),
    clock,
    metrics: createSessionMetrics(metrics),
    // The adapter reports its own time-outs better; this one is for adapters that hang.
    limits: {
      transcriptionMs: transcriptionLimitMs(config.providers) + TRANSCRIPTION_MARGIN_MS,
      speculation: config.speculation,
    },
  };
}

function watchCalls(metrics: Metrics, slots: Slots, calls: CallRegistry): void {
  metrics.gauge({ name: 'slots', help: 'Calls this worker holds at most' }).set(slots.capacity);
  metrics.gauge({ name: 'slots_used', help: 'Slots in use or reserved', collect: () => slots.used });
  metrics.gauge({ name: 'held', help: 'Calls on this worker', collect: () => calls.size });
  metrics.gauge({ name: 'joined', help: 'Joined calls on this worker', collect: () => calls.joined });
}

interface AnnounceOptions {
  config: MediaWorkerConfig;
  bus: Bus;
  calls: CallRegistry;
  slots: Slots;
  clock: Clock;
  log: Logger;
}

/** Keeps this worker's record fresh; returns what withdraws it. */
async function announce({
  config,
  bus,
  calls,
  slots,
  clock,
  log,
}: AnnounceOptions): Promise<() => Promise<void>> {
  const { workerId, workerUrl: url } = config;
  let draining = false;
  const beat = (): Promise<void> =>
    bus.workers.announce({ workerId, url, capacity: slots.capacity, activeCalls: calls.size, draining });
  await beat();
  let timer = clock.setTimer(ANNOUNCE_EVERY_MS, onTime);
  function onTime(): void {
    beat().catch((thrown: unknown) => log.warn({ err: toError(thrown) }, 'heartbeat failed'));
    timer = clock.setTimer(ANNOUNCE_EVERY_MS, onTime);
  }
  return async () => {
    draining = true;
    timer.cancel();
    await bus.workers.withdraw(workerId);
  };
}
