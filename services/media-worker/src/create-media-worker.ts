import { REFUSED_JOIN_EXCHANGE } from '@calls/api-contract/bus/live-calls';
import type { MediumSpec } from '@calls/api-contract/call-spec';
import type { Bus } from '@calls/bus/bus';
import { createCallSeal, createEventSeal } from '@calls/bus/call-seal';
import { connectBus } from '@calls/bus/connect-bus';
import { heuristicEndOfTurn } from '@calls/conversation/end-of-turn/heuristic-detector';
import { Pacer } from '@calls/conversation/playout/pacer';
import type { VoiceActivityEngine } from '@calls/conversation/ports/voice-activity-detector';
import type { ConversationServices } from '@calls/conversation/session/services';
import { StoredTraces } from '@calls/object-storage/call-objects/stored-traces';
import { WavRecordings } from '@calls/object-storage/call-objects/wav-recordings';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { Disposables } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { createCallTokens } from '@calls/secrets/join-tokens/call-tokens';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { FileStorage } from '@calls/object-storage/file-storage';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import { createAddressGuard } from '@calls/outbound-http/address-guard';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { callSignatureHeaders } from '@calls/outbound-http/request-signature';
import { LOCAL_FALLBACK_VOICE } from '@calls/providers/config/catalogue';
import { transcriptionLimitMs } from '@calls/providers/config/provider-config';
import { createProviders, type Providers } from '@calls/providers/registry';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import type { WebRtc } from '@calls/transports/webrtc/web-rtc';
import { createMetrics, type Metrics } from '@calls/telemetry/metrics';
import { startMetricsServer } from '@calls/telemetry/metrics-server';
import { createTracing } from '@calls/telemetry/tracing/create-tracing';
import { createChecksOf, createShortWork, type ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { Admission } from './admission/admission.ts';
import { monitorLoad, watchOverload } from './admission/overload-watch.ts';
import { Slots } from './admission/slots.ts';
import { Announcement } from './announcement.ts';
import { ClipLibrary } from './background-audio/clip-library.ts';
import { CallHost } from './calls/call-host.ts';
import { CallRegistry } from './calls/call-registry.ts';
import { measureCapacity } from './capacity/measured-capacity.ts';
import type { MediaWorkerConfig } from './config.ts';
import { createControlPlaneQueries } from './control-plane-queries/control-plane-queries.ts';
import { createDataConnections } from './data-connections/data-connections.ts';
import { createDialling } from './dialling/dialling.ts';
import { CallFinder } from './join/find-call.ts';
import { createClientMedia } from './join/client-media.ts';
import { JoinServer } from './join/join-server.ts';
import { WhipEndpoint } from './join/whip-endpoint.ts';
import { countAdmissions } from './admission/admission-metrics.ts';
import { createCallMetrics } from './calls/call-metrics.ts';
import { countDials } from './dialling/dial-metrics.ts';
import { countEngineFaults } from './metrics/engine-faults.ts';
import { countJoins } from './join/join-metrics.ts';
import { createSessionMetrics } from './metrics/session-metrics.ts';
import { createSipMeter } from './sip/sip-metrics.ts';
import { observeVoiceActivity } from './metrics/voice-activity.ts';
import { createWebRtcMeter } from './web-rtc/web-rtc-metrics.ts';
import type { SipService } from './sip/sip-service.ts';
import { startSip } from './sip/start-sip.ts';
import { createToolHttp } from './tools/tool-http.ts';
import { startWebRtc, webRtcFaultOf } from './web-rtc/start-web-rtc.ts';

const TELL_LIMIT_MS = 5000;
/** The caller should get audio within 3 s of engine silence: this and the longest default timeout stay below it. */
const TRANSCRIPTION_MARGIN_MS = 250;

export interface MediaWorker extends AsyncDisposable {
  readonly mediaPort: number;
  readonly metricsPort: number;
}

export async function createMediaWorker(config: MediaWorkerConfig, log: Logger): Promise<MediaWorker> {
  const clock = systemClock;
  const disposables = new Disposables(log);
  try {
    const metrics = createMetrics({ service: 'media-worker' });
    const tracing = await createTracing(config.tracing, { metrics, log });
    disposables.add('tracing', () => tracing[Symbol.asyncDispose]());
    const bus = await connectBus({ url: config.natsUrl, name: config.workerId, log });
    disposables.add('bus', () => bus[Symbol.asyncDispose]());
    const names = createNameResolver({ servers: config.providers.outbound.nameServers ?? null, clock });
    const outbound = createOutboundHttp({ ...config.providers.outbound, clock, names });
    disposables.add('outbound connections', () => outbound[Symbol.asyncDispose]());
    const shortWork = createShortWork({ log });
    disposables.add('untrusted work', () => shortWork[Symbol.asyncDispose]());
    const onFault = countEngineFaults(metrics);
    const providers = createProviders(config.providers, { clock, log, outbound, onFault });
    disposables.add('providers', () => providers[Symbol.asyncDispose]());
    const voiceActivity = await createSileroEngine({ log, clock, onBatch: observeVoiceActivity(metrics) });
    disposables.add('voice activity', () => voiceActivity[Symbol.asyncDispose]());
    const { thresholds, overload, workersHere } = config.admission;
    const medium = config.rtc.kind === 'unavailable' ? 'serverWebSocket' : 'webRtc';
    const capacity =
      config.admission.capacity ??
      (await measureCapacity({ voiceActivity, medium, workers: workersHere, log }));
    const slots = new Slots(capacity, thresholds);
    const calls = new CallRegistry(clock);
    const callMetrics = createCallMetrics(metrics, slots, calls);
    const meter = createWebRtcMeter(metrics, {
      connections: () => webRtc?.connections ?? 0,
      workers: () => webRtc?.workers.length ?? 0,
    });
    const webRtc: WebRtc | null = await startWebRtc(config.rtc, { meter, clock, log });
    disposables.add('WebRTC', () => webRtc?.[Symbol.asyncDispose]());
    const webRtcFault = (): string | null => webRtcFaultOf(config.rtc, webRtc);
    const storage = new FileStorage(config.objectStorage.directory);
    const guard = createAddressGuard(config.providers.outbound.allowPrivateNetworks);
    const sip: SipService | null = await startSip({
      config: config.sip,
      names,
      mayReach: (address) => guard.refusalOf(address) === null,
      openEndpoint: openSipEndpoint,
      bus,
      slots,
      storage,
      meter: createSipMeter(metrics, { live: () => sip?.size ?? 0 }),
      clock,
      log,
    });
    disposables.add('SIP', () => sip?.[Symbol.asyncDispose]());
    const offers = ({ kind }: MediumSpec): boolean =>
      kind === 'sip' ? sip !== null : kind !== 'webRtc' || webRtcFault() === null;
    const joins = {
      tokens: createJoinTokens(config.joinTokenSecrets),
      onNoCapacity: (callId: string) => tellRefused(bus, callId, log),
      onJoin: countJoins(metrics),
      log,
    };
    const joinServer = new JoinServer({
      ...joins,
      media: createClientMedia(webRtc, clock),
      whip: new WhipEndpoint({ ...joins, webRtc }),
      trustedProxies: config.trustedProxies,
      clock,
    });
    disposables.add('join server', () => joinServer[Symbol.asyncDispose]());
    const peerPort = await joinServer.listenToPeers(config.workerPort);
    const { workerId } = config;
    const holder = { workerId, url: config.workerUrl ?? `ws://localhost:${peerPort}` };
    const dial = createDialling({ bus, onAsked: countDials(metrics) });
    const host = new CallHost({
      bus,
      holder,
      callSeal: createCallSeal(config.joinTokenSecrets),
      eventSeal: createEventSeal(config.joinTokenSecrets),
      calls,
      slots,
      offers,
      dial: (call, callLog) => {
        const { medium } = call.spec;
        if (medium.kind !== 'sip') dial(call, callLog);
        else if (medium.direction === 'outgoing') sip?.place(call, medium, callLog);
      },
      reconnectGraceMs: config.reconnectGraceMs,
      tracing,
      metrics: callMetrics,
      clock,
      log,
      services: conversationServices(config, {
        bus,
        storage,
        providers,
        outbound,
        checksOf: createChecksOf(shortWork),
        voiceActivity,
        metrics,
        clock,
        log,
      }),
    });
    sip?.takeFor(host);
    const hasRoom = (): boolean => slots.hasRoom('lowest_cost');
    const finder = new CallFinder({ bus, workerId, calls, host, hasRoom, clock });
    const mediaPort = await joinServer.listenToClients(finder, {
      port: config.mediaPort,
      isShared: config.mediaPortIsShared,
    });
    let draining = false;
    const metricsServer = await startMetricsServer({
      port: config.metricsPort,
      metrics,
      checks: {
        nats: () => bus.ping(),
        admission: () => (draining ? Promise.reject(new Error('draining')) : Promise.resolve()),
      },
    });
    disposables.add('metrics server', () => metricsServer[Symbol.asyncDispose]());
    const announcement = await Announcement.start({
      holder,
      bus,
      host,
      calls,
      slots,
      webRtcFault,
      clock,
      log,
    });
    disposables.add('announcement', () => announcement[Symbol.asyncDispose]());
    disposables.add('calls', async () => {
      const { drainLimitMs } = config;
      await Promise.all([host.drain(drainLimitMs), joinServer.passedEnded(drainLimitMs)]);
    });
    const admission = new Admission({
      bus,
      holder,
      slots,
      offers,
      clock,
      log,
      onWaited: countAdmissions(metrics, slots),
      onAdmitted: (delivery, lease) => host.admit(delivery, lease),
    });
    disposables.add('admission', () => admission.stop());
    const overloadWatch =
      overload &&
      watchOverload(
        { slots, limits: overload, clock, log },
        monitorLoad(() => providers.sttLatenessMs()),
      );
    disposables.add('overload watch', () => overloadWatch?.[Symbol.dispose]());
    disposables.add('readiness', () => {
      draining = true;
      announcement.drain();
      sip?.takeFor(null);
      joinServer.stopListening();
    });
    log.info({ workerId, capacity }, 'media worker accepts calls');
    return {
      mediaPort,
      metricsPort: metricsServer.port,
      [Symbol.asyncDispose]: () => disposables[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await disposables[Symbol.asyncDispose]();
    throw thrown;
  }
}

function conversationServices(
  config: MediaWorkerConfig,
  deps: {
    bus: Bus;
    storage: ObjectStorage;
    providers: Providers;
    outbound: OutboundHttp;
    checksOf: ChecksOf;
    voiceActivity: VoiceActivityEngine;
    metrics: Metrics;
    clock: Clock;
    log: Logger;
  },
): ConversationServices {
  const { bus, storage, providers, outbound, checksOf, voiceActivity, metrics, clock, log } = deps;
  return {
    voiceActivity,
    speechToText: providers.speechToText,
    endOfTurn: heuristicEndOfTurn,
    languageModel: providers.languageModel,
    textToSpeech: providers.textToSpeech,
    fallbackVoice: LOCAL_FALLBACK_VOICE,
    backgroundClips: new ClipLibrary({ outbound, clock }),
    recordings: new WavRecordings({ storage, clock, log }),
    traces: config.keepsTraces ? new StoredTraces({ storage, clock, log }) : null,
    tools: {
      ...createControlPlaneQueries(bus, config.joinTokenSecrets),
      http: createToolHttp(outbound),
      argumentChecksFor: checksOf,
      callTokens: createCallTokens(config.joinTokenSecrets),
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

/** Reports a rejected client, so that the end reason of the call shows that a client tried to join. */
function tellRefused(bus: Bus, callId: string, log: Logger): void {
  bus
    .request(REFUSED_JOIN_EXCHANGE, { callId }, AbortSignal.timeout(TELL_LIMIT_MS))
    .catch((thrown: unknown) => {
      log.warn({ callId, err: toError(thrown) }, 'failed to report rejected client');
    });
}
