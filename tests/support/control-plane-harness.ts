import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiError, Call, CallEventBody, CallEventEnvelope, Page } from '@calls/api-contract';
import { connectBus, type Bus } from '@calls/bus';
import { createControlPlane, type ControlPlane } from '@calls/control-plane';
import { newId, randomAlphanumeric, silentLogger } from '@calls/foundation';
import { findFreePort } from '@calls/local-stack';
import { FileStorage, type ObjectStorage } from '@calls/object-storage';
import {
  insertAccount,
  insertApiKey,
  migrate,
  openStore,
  replaceCatalogue,
  type Plan,
  type Store,
} from '@calls/store';
import { ScratchServers, type ScratchServer } from './scratch-servers.ts';

export const JOIN_TOKEN_SECRET = 'a secret for tests only';

export type TestRequest = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** A control-plane in this process on real PostgreSQL and NATS of its own, and the other ends of both. */
export class ControlPlaneHarness {
  readonly servers: ScratchServers;
  readonly postgres: ScratchServer;
  readonly nats: ScratchServer;
  readonly store: Store;
  readonly bus: Bus;
  readonly controlPlane: ControlPlane;
  readonly storage: ObjectStorage;
  readonly url: string;
  readonly #storageFolder: string;

  private constructor(parts: {
    servers: ScratchServers;
    postgres: ScratchServer;
    nats: ScratchServer;
    store: Store;
    bus: Bus;
    controlPlane: ControlPlane;
    storageFolder: string;
    url: string;
  }) {
    this.servers = parts.servers;
    this.postgres = parts.postgres;
    this.nats = parts.nats;
    this.store = parts.store;
    this.bus = parts.bus;
    this.controlPlane = parts.controlPlane;
    this.storage = new FileStorage(parts.storageFolder);
    this.#storageFolder = parts.storageFolder;
    this.url = parts.url;
  }

  static async start(): Promise<ControlPlaneHarness> {
    const servers = await ScratchServers.open();
    const [postgres, nats] = await Promise.all([servers.postgres(), servers.nats()]);
    const log = silentLogger;
    const store = openStore({ url: postgres.url, name: 'test', poolSize: 4, log });
    await migrate(store.db);
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
    const port = await findFreePort('127.0.0.1');
    const url = `http://127.0.0.1:${port}`;
    const storageFolder = await mkdtemp(join(tmpdir(), 'calls-objects-'));
    const controlPlane = await createControlPlane(
      {
        port,
        metricsPort: 0,
        databaseUrl: postgres.url,
        natsUrl: nats.url,
        publicUrl: url,
        mediaPublicUrl: 'ws://media.test:1',
        joinTokenSecret: JOIN_TOKEN_SECRET,
        poolSize: 6,
        objectStorage: { directory: storageFolder },
        models: ['svc-v0.7', 'svc-local'],
      },
      log,
    );
    const bus = await connectBus({ url: nats.url, name: 'test', log });
    return new ControlPlaneHarness({
      servers,
      postgres,
      nats,
      store,
      bus,
      controlPlane,
      storageFolder,
      url,
    });
  }

  async stop(): Promise<void> {
    await this.controlPlane[Symbol.asyncDispose]();
    await this.bus[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    await this.servers.close();
    await rm(this.#storageFolder, { recursive: true, force: true });
  }

  /** An account with a key of its own. */
  async account(plan: Plan = 'SCALE', expiresAt: Date | null = null): Promise<TestAccount> {
    const accountId = newId();
    const keyId = newId();
    const key = `${randomAlphanumeric(8)}.${randomAlphanumeric(32)}`;
    const createdAt = new Date();
    await insertAccount(this.store.db, { accountId, name: 'test', plan, features: [], createdAt });
    await insertApiKey(this.store.db, {
      keyId,
      accountId,
      name: 'test',
      prefix: key.slice(0, 8),
      hash: createHash('sha256').update(key).digest(),
      createdAt,
      expiresAt,
    });
    return new TestAccount(this.url, accountId, keyId, key);
  }

  /** What a media worker publishes about a call, event by event. */
  eventsOf(
    call: { callId: string },
    accountId: string,
  ): (seq: number, body: CallEventBody, atMs?: number) => CallEventEnvelope {
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

/** The API as one account sees it. */
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

  async request<T = ApiError>(path: string, init: TestRequest = {}): Promise<Answer<T>> {
    const url = path.startsWith('http') ? path : `${this.#url}${path}`;
    const response = await fetch(url, { ...init, headers: { 'X-API-Key': this.key, ...init.headers } });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? null : JSON.parse(text)) as T,
    };
  }

  /** With a JSON body, where there is one. */
  send<T = ApiError>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    return this.request<T>(path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  post<T = ApiError>(path: string, body: unknown): Promise<Answer<T>> {
    return this.send<T>('POST', path, body);
  }

  async createCall(extra: Record<string, unknown> = {}): Promise<Call> {
    const answer = await this.post<Call>('/api/calls', {
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      ...extra,
    });
    if (answer.status !== 201)
      throw new Error(`create answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async call(callId: string): Promise<Call> {
    return (await this.request<Call>(`/api/calls/${callId}`)).body;
  }

  async list<T>(path: string): Promise<Page<T>> {
    return (await this.request<Page<T>>(path)).body;
  }
}
