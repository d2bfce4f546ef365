import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { Bus } from '@calls/bus/bus';
import { createCallSeal, createEventSeal } from '@calls/bus/call-seal';
import { connectBus } from '@calls/bus/connect-bus';
import { createWebRtcOffer } from '@calls/bus/web-rtc-offer';
import { CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import { createCallNotifications } from '@calls/call-lifecycle/notifications/call-notifications';
import { createCallView } from '@calls/call-lifecycle/notifications/call-view';
import { createFullTextRetriever } from '@calls/corpora/retrieval/full-text-retriever';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { Disposables } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { createCallTokens } from '@calls/secrets/join-tokens/call-tokens';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { FileStorage } from '@calls/object-storage/file-storage';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { createVoices } from '@calls/providers/registry';
import { openRateLimits, type SharedRateLimits } from '@calls/redis/rate-limits/shared-rate-limits';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { assertMigrated } from '@calls/store/migrate';
import { openStore, type Store } from '@calls/store/store';
import { findKeyHolders, findPlanOfLiveCall } from '@calls/store/tables/api-keys';
import { createMetrics, type Metrics } from '@calls/telemetry/metrics';
import { startMetricsServer, type ReadinessCheck } from '@calls/telemetry/metrics-server';
import { createTracing } from '@calls/telemetry/tracing/create-tracing';
import type { Tracing } from '@calls/telemetry/tracing/span';
import { createChecksOf, createShortWork } from '@calls/untrusted-work/untrusted-checks';
import { createCallTokenAuthenticator } from './auth/call-token-authenticator.ts';
import { KeyAttempts } from './auth/key-attempts.ts';
import { KeyAuthenticator } from './auth/key-authenticator.ts';
import { KeyLookUps } from './auth/key-look-ups.ts';
import type { ControlPlaneConfig } from './config.ts';
import { createConsoleSessions } from './console/console-sessions.ts';
import { createUploadTokens } from './corpora/upload-tokens.ts';
import { applyCallEvent } from './events/apply-call-event.ts';
import { applyTraced } from './events/traced-events.ts';
import { createApp } from './http/app.ts';
import { startHttpServer } from './http/server.ts';
import { SessionCookie } from './http/session-cookie.ts';
import { serveLiveCalls } from './live-calls/serve-live-calls.ts';
import { LostCalls } from './lost-calls/lost-calls.ts';
import { eventMetrics } from './metrics/event-metrics.ts';
import { liveMetrics } from './metrics/live-metrics.ts';
import { createCallPublisher } from './outbox/call-publisher.ts';
import { relayCreatedCalls } from './outbox/relay-created-calls.ts';
import { SentRows } from './outbox/sent-rows.ts';
import { createCursorCodec } from './pagination/cursor.ts';
import { SipInvites } from './sip/invites.ts';
import { createSipLogTokens } from './sip/sip-log-tokens.ts';
import { Dialler } from './telephony/dialling/dialler.ts';
import { createPhoneUrls } from './telephony/phone-urls.ts';
import { createBulkWork } from './untrusted-work/bulk-work.ts';
import { StoredPreviews } from './voices/stored-previews.ts';
import { VoicePreviews } from './voices/voice-previews.ts';

const RELAY_INTERVAL_MS = 1000;
const OVERDUE_INTERVAL_MS = 5000;
const ORPHANS_INTERVAL_MS = 1000;
const LIVE_METRICS_INTERVAL_MS = 5000;
const EVENT_CONSUMER = 'control_plane';

export interface ControlPlane extends AsyncDisposable {
  readonly port: number;
  readonly metricsPort: number;
  /** Settles when the validators of request bodies are compiled; requests before that take longer. */
  readonly compiled: Promise<void>;
}

export interface ControlPlaneOverrides {
  clock?: Clock;
}

/** Creates and starts the service. Rejects if a dependency is unavailable at the start. */
export async function createControlPlane(
  config: ControlPlaneConfig,
  log: Logger,
  overrides: ControlPlaneOverrides = {},
): Promise<ControlPlane> {
  const clock = overrides.clock ?? systemClock;
  const disposables = new Disposables(log);
  try {
    const metrics = createMetrics({ service: 'control-plane' });
    const tracing = await createTracing(config.tracing, { metrics, log });
    disposables.add('tracing', () => tracing[Symbol.asyncDispose]());
    const store = openStore({
      url: config.databaseUrl,
      name: 'control-plane',
      poolSize: config.poolSize,
      log,
    });
    disposables.add('store', () => store[Symbol.asyncDispose]());
    await assertMigrated(store.db);
    const bus = await connectBus({ url: config.natsUrl, name: 'control-plane', log });
    disposables.add('bus', () => bus[Symbol.asyncDispose]());
    const rateLimits = await openRateLimits({ redisUrl: config.redisUrl, clock, log });
    disposables.add('rate limits', () => rateLimits[Symbol.asyncDispose]());
    const serving = await startServing(config, {
      store,
      bus,
      rateLimits,
      metrics,
      tracing,
      clock,
      log,
      disposables,
    });
    return { ...serving, [Symbol.asyncDispose]: () => disposables[Symbol.asyncDispose]() };
  } catch (thrown) {
    await disposables[Symbol.asyncDispose]();
    throw thrown;
  }
}

interface Running {
  store: Store;
  bus: Bus;
  rateLimits: SharedRateLimits;
  metrics: Metrics;
  tracing: Tracing;
  clock: Clock;
  log: Logger;
  disposables: Disposables;
}

async function startServing(
  config: ControlPlaneConfig,
  { store, bus, rateLimits, metrics, tracing, clock, log, disposables }: Running,
): Promise<Omit<ControlPlane, typeof Symbol.asyncDispose>> {
  const { db } = store;
  const { planLimits } = config;
  const secretBox = createSecretBox(config.encryptionKeys);
  const { mediaPublicUrl } = config;
  const tokens = createJoinTokens(config.joinTokenSecrets);
  const callView = createCallView({ mediaPublicUrl, tokens, secretBox });
  const notices = createCallNotifications({ secretBox, callView });
  const checks: Record<string, ReadinessCheck> = {
    database: () => store.ping(),
    bus: () => bus.ping(),
    rateLimits: () => (rateLimits.degraded ? 'degraded' : 'ok'),
  };
  metrics.gauge({
    name: 'rate_limits_degraded',
    help: '1 while rate limits are counted per process.',
    collect: () => Number(rateLimits.degraded),
  });
  const metricsServer = await startMetricsServer({ port: config.metricsPort, metrics, checks });
  disposables.add('metrics server', () => metricsServer[Symbol.asyncDispose]());

  const { voiceAliases } = config;
  const onApplied = eventMetrics(metrics, clock);
  const apply = (event: CallLogEntry): Promise<void> =>
    applyTraced(tracing, event, async () => {
      if (await applyCallEvent({ db, planLimits, notices, voiceAliases, log }, event)) onApplied(event);
    });
  const events = await bus.consumeCallLogs(EVENT_CONSUMER, apply, {
    maxInFlight: 256,
    concurrency: Math.max(1, Math.floor(config.poolSize / 2)),
  });
  disposables.add('call events', () => events[Symbol.asyncDispose]());
  const task = (name: string, intervalMs: number, run: () => Promise<void>): void => {
    const periodic = startPeriodicTask({ name, intervalMs, clock, log, run });
    disposables.add(name, () => periodic[Symbol.asyncDispose]());
  };
  const callSeal = createCallSeal(config.joinTokenSecrets);
  task('created call relay', RELAY_INTERVAL_MS, () =>
    relayCreatedCalls({ db, bus, secretBox, callSeal, log }),
  );
  const lostCalls = new LostCalls({ db, bus, clock, log, apply });
  task('orphaned calls', ORPHANS_INTERVAL_MS, () => lostCalls.endOrphans());
  task(
    'live metrics',
    LIVE_METRICS_INTERVAL_MS,
    liveMetrics(metrics, { db, bus, eventConsumer: EVENT_CONSUMER }),
  );
  task('overdue calls', OVERDUE_INTERVAL_MS, () => lostCalls.endOverdue());

  const outbound = createOutboundHttp({ ...config.outbound, clock });
  disposables.add('outbound requests', () => outbound[Symbol.asyncDispose]());
  const shortWork = createShortWork({ log });
  disposables.add('short untrusted work', () => shortWork[Symbol.asyncDispose]());
  const bulkWork = createBulkWork(log);
  disposables.add('bulk untrusted work', () => bulkWork[Symbol.asyncDispose]());
  const checksOf = createChecksOf(shortWork);
  const retriever = createFullTextRetriever(db);
  const { joinTokenSecrets, models } = config;
  // The operator configures these addresses, so private networks are allowed.
  const providersOutbound = createOutboundHttp({ ...config.outbound, allowPrivateNetworks: true, clock });
  disposables.add('requests to telephony providers', () => providersOutbound[Symbol.asyncDispose]());
  const phoneUrls = createPhoneUrls({ publicUrl: config.publicUrl, mediaPublicUrl, tokens });
  const { telephonyUrls } = config;
  const dialler = new Dialler({
    db,
    secretBox,
    outbound: providersOutbound,
    telephonyUrls,
    phoneUrls,
    clock,
    log,
  });
  const sentRows = new SentRows({ db, clock, log });
  disposables.add('sent outbox rows', () => sentRows[Symbol.asyncDispose]());
  const creator = new CallCreator({
    db,
    clock,
    webRtcFault: createWebRtcOffer(bus.workers, clock),
    publisher: createCallPublisher({ bus, callSeal, sentRows, tracing, log }),
    models,
    voiceAliases,
    rateLimits,
    planLimits,
    notifications: notices,
    secretBox,
    outbound,
    checksOf,
    tracing,
  });
  const { sipDomain } = config;
  const sipInvites = new SipInvites({ db, creator, callSeal, secretBox, outbound, sipDomain, clock, log });
  serveLiveCalls(
    {
      ...{ bus, db, clock, secretBox, models, voiceAliases, outbound, checksOf, retriever, joinTokenSecrets },
      ...{ dialler, sipInvites },
    },
    disposables,
  );
  const voices = createVoices(config.providers, { clock, log, outbound });
  disposables.add('voices', () => voices[Symbol.asyncDispose]());
  const voicePreviews = new VoicePreviews({ textToSpeech: voices.textToSpeech, clock });
  const storage = new FileStorage(config.objectStorage.directory);
  const { app, compile } = createApp({
    db,
    bus,
    paging: { cursors: createCursorCodec(config.joinTokenSecrets), publicUrl: config.publicUrl },
    rateLimits,
    planLimits,
    trustedProxies: config.trustedProxies,
    keyAttempts: new KeyAttempts(clock),
    sessions: createConsoleSessions(secretBox, clock),
    sessionCookie: new SessionCookie(config.publicUrl),
    console: { directory: config.consoleDirectory, mediaPublicUrl },
    docsSite: { directory: config.docsSiteDirectory },
    authenticator: new KeyAuthenticator(new KeyLookUps((prefixes) => findKeyHolders(db, prefixes)), clock),
    callTokenAuthenticator: createCallTokenAuthenticator(
      createCallTokens(config.joinTokenSecrets, () => clock.wallMs()),
      (call) => findPlanOfLiveCall(db, call),
    ),
    creator,
    secretBox,
    outbound,
    checksOf,
    bulkWork,
    eventSeal: createEventSeal(config.joinTokenSecrets),
    tokens,
    phoneUrls,
    callView,
    storage,
    voicePreviews,
    storedPreviews: new StoredPreviews({ storage, previews: voicePreviews, log }),
    retriever,
    uploadTokens: createUploadTokens(config.joinTokenSecrets, clock),
    models,
    sipDomain,
    sipLogTokens: createSipLogTokens(joinTokenSecrets, clock),
    checks,
    metrics,
    tracing,
    clock,
    log,
  });
  const server = await startHttpServer(app, {
    port: config.port,
    isShared: config.portIsShared,
  });
  disposables.add('http server', () => server[Symbol.asyncDispose]());
  const compiled = compile();
  disposables.add('validators', () => compiled);
  log.info({ port: server.port, metricsPort: metricsServer.port }, 'control-plane started');
  return { port: server.port, metricsPort: metricsServer.port, compiled };
}
