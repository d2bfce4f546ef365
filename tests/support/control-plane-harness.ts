import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallLogEntryBody, CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { Feature, Plan } from '@calls/api-contract/rest/account';
import type { Call } from '@calls/api-contract/rest/call';
import type { ApiError, Page } from '@calls/api-contract/rest/common';
import { BUILT_IN_TOOLS } from '@calls/call-lifecycle/creation/tools/built-in-tools';
import type { Bus } from '@calls/bus/bus';
import { readTelephonyUrls, type ControlPlaneConfig } from '@calls/control-plane/config';
import {
  createControlPlane,
  type ControlPlane,
  type ControlPlaneOverrides,
} from '@calls/control-plane/control-plane';
import { EnvReader } from '@calls/foundation/env-reader';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { FileStorage } from '@calls/object-storage/file-storage';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import { readEmbeddingConfig, type EmbeddingConfig } from '@calls/providers/embeddings/embedding-config';
import { readRerankConfig } from '@calls/providers/rerank/rerank-config';
import { readProviderConfig } from '@calls/providers/config/provider-config';
import type { LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import { migrate } from '@calls/store/migrate';
import type { Store } from '@calls/store/store';
import { replacePublicTools } from '@calls/store/tables/tools';
import { replaceCatalogue } from '@calls/store/tables/voices';
import { LIFTED_LIMITS, LONG_ENGINE_LIMITS_ENV, LONG_QUERY_LIMIT_MS } from './lifted-limits.ts';
import { CompiledQuery } from 'kysely';
import { connectTestBus } from './connect-test-bus.ts';
import { ScratchServers, type ScratchServer } from './scratch-servers.ts';
import { newAccount } from './new-account.ts';
import { slowRedisCheckClock } from './slow-redis-check-clock.ts';
import { openTestStore } from './test-store.ts';

export const JOIN_TOKEN_SECRETS = ['a secret for tests only'];
export const ADMIN_TOKEN = 'an-admin-token-for-tests-only';
export const ENCRYPTION_KEY = 'an encryption key for tests only';

export type TestRequest = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

export interface ApiResponse<T> {
  status: number;
  headers: Headers;
  body: T;
}

export interface HarnessOptions {
  planLimits?: LimitsByPlan;
  /** Environment variables that configure the engines. */
  env?: Readonly<Record<string, string>>;
  /** Instead of the embeddings that `env` configures. */
  embeddings?: EmbeddingConfig;
  /** Starts a PostgreSQL server that the test may stop, instead of using a database on the shared server. */
  ownPostgres?: boolean;
}

/** A control-plane in this process with its own database, Redis and NATS server, and clients of all three. */
export class ControlPlaneHarness {
  readonly servers: ScratchServers;
  readonly postgres: ScratchServer;
  readonly redis: ScratchServer;
  readonly nats: ScratchServer;
  readonly store: Store;
  readonly bus: Bus;
  readonly controlPlane: ControlPlane;
  readonly storage: ObjectStorage;
  /** Folder in which `storage` stores objects. */
  readonly objectDirectory: string;
  readonly url: string;
  readonly #config: ControlPlaneConfig;
  readonly #replicas: ControlPlane[] = [];

  private constructor(components: {
    servers: ScratchServers;
    postgres: ScratchServer;
    redis: ScratchServer;
    nats: ScratchServer;
    store: Store;
    bus: Bus;
    controlPlane: ControlPlane;
    config: ControlPlaneConfig;
    objectDirectory: string;
  }) {
    this.servers = components.servers;
    this.postgres = components.postgres;
    this.redis = components.redis;
    this.nats = components.nats;
    this.store = components.store;
    this.bus = components.bus;
    this.controlPlane = components.controlPlane;
    this.storage = new FileStorage(components.objectDirectory);
    this.objectDirectory = components.objectDirectory;
    this.#config = components.config;
    this.url = components.config.publicUrl;
  }

  static async start(options: HarnessOptions = {}): Promise<ControlPlaneHarness> {
    const servers = await ScratchServers.open();
    try {
      return await ControlPlaneHarness.#startOn(servers, options);
    } catch (thrown) {
      await servers.close();
      throw thrown;
    }
  }

  static async #startOn(
    servers: ScratchServers,
    { planLimits = LIFTED_LIMITS, env = {}, embeddings, ownPostgres = false }: HarnessOptions,
  ): Promise<ControlPlaneHarness> {
    const [postgres, redis, nats] = await Promise.all([
      ownPostgres ? servers.postgres() : servers.database(),
      servers.redis(),
      servers.nats(),
    ]);
    const log = silentLogger;
    const store = openTestStore(postgres.url, { poolSize: 4 });
    if (ownPostgres) await migrate(store.db);
    await replaceCatalogue(
      store.db,
      ['Alba', 'Bruno', 'Clara', 'Dario'].map((name) => ({
        voiceId: newId(),
        slug: name.toLowerCase(),
        name,
        description: null,
        primaryLanguage: name === 'Clara' ? 'de' : 'en-GB',
        languageLabel: null,
        engine: 'espeak-ng',
        engineSettings: { voice: name },
      })),
      new Date(),
    );
    await replacePublicTools(store.db, BUILT_IN_TOOLS, new Date());
    const port = await findFreePorts(2);
    // Stand-ins for customer servers run on this machine.
    const outbound = { allowPrivateNetworks: ['127.0.0.1/32'] };
    const objectDirectory = await mkdtemp(join(tmpdir(), 'calls-objects-'));
    const config: ControlPlaneConfig = {
      port,
      portIsShared: false,
      metricsPort: 0,
      admin: {
        host: '127.0.0.1',
        port: port + 1,
        tokens: [{ name: 'test', hash: createHash('sha256').update(ADMIN_TOKEN).digest() }],
      },
      trustedProxies: 0,
      databaseUrl: postgres.url,
      databaseQueryLimitMs: LONG_QUERY_LIMIT_MS,
      databaseReadUrls: [],
      databaseReadMaxLagMs: 10_000,
      redisUrl: redis.url,
      natsUrl: nats.url,
      natsReplicas: 1,
      publicUrl: `http://127.0.0.1:${port}`,
      mediaPublicUrl: 'ws://media.test:1',
      consoleDirectory: join(import.meta.dirname, 'built-console'),
      docsSiteDirectory: join(import.meta.dirname, '../../services/docs-site/dist'),
      joinTokenSecrets: JOIN_TOKEN_SECRETS,
      encryptionKeys: [ENCRYPTION_KEY],
      poolSize: 6,
      reconnectGraceMs: 10_000,
      objectStorage: { kind: 'folder', directory: objectDirectory },
      planLimits,
      outbound,
      embeddings: embeddings ?? readEmbeddingConfig(new EnvReader(env)),
      rerank: readRerankConfig(new EnvReader(env)),
      vectorCacheMb: 64,
      providers: { ...readProviderConfig(new EnvReader({ ...LONG_ENGINE_LIMITS_ENV, ...env })), outbound },
      telephonyUrls: readTelephonyUrls(new EnvReader(env)),
      hasSipTls: false,
      sipDomain: 'sip.test',
      models: ['svc-v0.7', 'svc-local'],
      voiceAliases: new Map([['Mark', 'Alba']]),
      tracing: null,
      log: { service: 'control-plane', level: 'silent', logPii: false },
    };
    const bus = await connectTestBus(nats.url);
    const controlPlane = await createControlPlane(config, log, { clock: slowRedisCheckClock });
    await controlPlane.compiled;
    return new ControlPlaneHarness({
      servers,
      postgres,
      redis,
      nats,
      store,
      bus,
      controlPlane,
      config,
      objectDirectory,
    });
  }

  /** URL of the admin API. */
  get adminUrl(): string {
    return `http://127.0.0.1:${this.#config.admin.port}`;
  }

  /**
   * Starts another control-plane on the same servers and returns its URL. `changed`: differences in its configuration.
   */
  async addReplica(
    overrides: ControlPlaneOverrides = {},
    changed: Partial<ControlPlaneConfig> = {},
  ): Promise<string> {
    const admin = { ...this.#config.admin, port: 0 };
    const config = { ...this.#config, admin, ...changed, port: 0 };
    const replica = await createControlPlane(config, silentLogger, {
      clock: slowRedisCheckClock,
      ...overrides,
    });
    this.#replicas.push(replica);
    return `http://127.0.0.1:${replica.port}`;
  }

  async stop(): Promise<void> {
    for (const replica of this.#replicas) await replica[Symbol.asyncDispose]();
    await this.controlPlane[Symbol.asyncDispose]();
    await this.bus[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    await this.servers.close();
    await rm(this.objectDirectory, { recursive: true, force: true });
  }

  /** Runs an SQL query in the database. */
  async query(sql: string, ...parameters: unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    const { rows } = await this.store.db.executeQuery(CompiledQuery.raw(sql, parameters));
    return { rows: rows as Record<string, unknown>[] };
  }

  /** Creates an account with its own key. */
  async account(
    plan: Plan = 'SCALE',
    expiresAt: Date | null = null,
    features: Feature[] = [],
  ): Promise<TestAccount> {
    const { accountId, keyId, key } = await newAccount(this.store.db, { plan, features, expiresAt });
    return new TestAccount(this.url, accountId, keyId, key);
  }

  /** Creates the log entries that a media-worker publishes about a call. */
  eventsOf(
    call: { callId: string },
    accountId: string,
  ): (seq: number, body: CallLogEntryBody, atMs?: number) => CallLogEntry {
    return (seq, body, atMs = Date.now()) => ({
      callId: call.callId,
      accountId,
      seq,
      epoch: 1,
      wallClockMs: atMs,
      body,
    });
  }
}

/** REST API client of one account. */
export class TestAccount {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
  readonly #url: string;

  constructor(url: string, accountId: string, keyId: string, key: string) {
    this.#url = url;
    this.accountId = accountId;
    this.keyId = keyId;
    this.key = key;
  }

  async request<T = ApiError>(path: string, init: TestRequest = {}): Promise<ApiResponse<T>> {
    const url = path.startsWith('http') ? path : `${this.#url}${path}`;
    const response = await fetch(url, { ...init, headers: { 'X-API-Key': this.key, ...init.headers } });
    // Event streams do not end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? null : JSON.parse(text)) as T,
    };
  }

  /** Sends a request, with a JSON body if there is one. */
  send<T = ApiError>(method: string, path: string, body?: unknown): Promise<ApiResponse<T>> {
    return this.request<T>(path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  post<T = ApiError>(path: string, body: unknown): Promise<ApiResponse<T>> {
    return this.send<T>('POST', path, body);
  }

  async createCall(extra: Record<string, unknown> = {}): Promise<Call> {
    const response = await this.post<Call>('/api/calls', {
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      ...extra,
    });
    if (response.status !== 201)
      throw new Error(`POST /api/calls responded with ${response.status}: ${JSON.stringify(response.body)}`);
    return response.body;
  }

  call(callId: string): Promise<Call> {
    return this.get<Call>(`/api/calls/${callId}`);
  }

  list<T>(path: string): Promise<Page<T>> {
    return this.get<Page<T>>(path);
  }

  /**
   * Returns the body of a 200 response. Rejects for any other status, so that an error body is not mistaken for a
   * resource.
   */
  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.request<T>(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }
}
