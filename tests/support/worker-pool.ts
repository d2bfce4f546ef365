import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { Bus } from '@calls/bus/bus';
import { createCallSeal } from '@calls/bus/call-seal';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { eventually } from './eventually.ts';
import { MediaWorkerProcess } from './media-worker-process.ts';
import { startForwarder } from './network/namespace.ts';
import { ScratchServers } from './scratch-servers.ts';
import { connectTestBus } from './connect-test-bus.ts';

const SECRET = 'a secret for tests only';

/** Media-workers in their own processes that share a NATS server. */
export class WorkerPool implements AsyncDisposable {
  static readonly secret = SECRET;
  readonly bus: Bus;
  readonly #natsUrl: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #namespace: string | null;
  /** Forwarders between the network namespace and the NATS server. */
  readonly #links: readonly AsyncDisposable[];
  readonly #servers: ScratchServers;
  /** DATA_DIR of every worker. */
  readonly folder: string;
  readonly #tokens = createJoinTokens([SECRET]);
  readonly #seal = createCallSeal([SECRET]);
  /** Running workers by the prefix of their ids. */
  readonly #workers = new Map<string, MediaWorkerProcess>();
  #started = 0;

  private constructor(components: {
    bus: Bus;
    natsUrl: string;
    servers: ScratchServers;
    folder: string;
    env: Readonly<Record<string, string>>;
    namespace: string | null;
    links: readonly AsyncDisposable[];
  }) {
    this.bus = components.bus;
    this.#natsUrl = components.natsUrl;
    this.#servers = components.servers;
    this.folder = components.folder;
    this.#env = components.env;
    this.#namespace = components.namespace;
    this.#links = components.links;
  }

  /** `env`: environment variables of each worker. `namespace`: network namespace of the workers. */
  static async open(
    env: Readonly<Record<string, string>> = {},
    namespace: string | null = null,
  ): Promise<WorkerPool> {
    const servers = await ScratchServers.open();
    const { url: natsUrl } = await servers.nats();
    const bus = await connectTestBus(natsUrl);
    const folder = await mkdtemp(join(tmpdir(), 'calls-workers-'));
    const links = namespace === null ? [] : await linkTo(natsUrl, namespace, join(folder, 'nats'));
    return new WorkerPool({ bus, natsUrl, servers, folder, env, namespace, links });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers.values()) await worker[Symbol.asyncDispose]();
    for (const link of this.#links) await link[Symbol.asyncDispose]();
    await this.bus[Symbol.asyncDispose]();
    await this.#servers.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Starts workers until at least this number is running. */
  async atLeast(count: number): Promise<void> {
    const missing = Array.from({ length: Math.max(0, count - this.#workers.size) });
    await Promise.all(missing.map(() => this.#start()));
  }

  get workers(): MediaWorkerProcess[] {
    return [...this.#workers.values()];
  }

  /** Any worker. */
  get any(): MediaWorkerProcess {
    const [first] = this.#workers.values();
    if (!first) throw new Error('the pool has no workers');
    return first;
  }

  /** Returns the worker that runs the call and another one. */
  async workersOf({ callId }: CallSpec): Promise<[MediaWorkerProcess, MediaWorkerProcess]> {
    const holder = (await this.bus.leases.find(callId))?.holder?.workerId ?? '';
    const isHolder = (id: string): boolean => holder.startsWith(`${id}-`);
    const owner = [...this.#workers].find(([id]) => isHolder(id));
    const other = [...this.#workers].find(([id]) => !isHolder(id));
    if (!owner || !other)
      throw new Error(`the pool must contain the worker of the lease (${holder}) and another worker`);
    return [owner[1], other[1]];
  }

  /** Sends SIGKILL or the given signal and removes the worker from the pool. */
  async lose(worker: MediaWorkerProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    for (const [id, each] of this.#workers) if (each === worker) this.#workers.delete(id);
    worker.signal(signal);
    await worker.ended();
  }

  /** The call in the form in which workers receive it. */
  created(spec: CallSpec, settings: Partial<CreatedCall> = {}): CreatedCall {
    return this.#seal.seal({ admissionClass: 'standard', spec, ...settings });
  }

  /** Queues the call for the workers, like the API. */
  async queue(spec: CallSpec, settings?: Partial<CreatedCall>): Promise<void> {
    await this.bus.createdCalls.publish(this.created(spec, settings), spec.callId);
  }

  /** The log of the call so far. */
  async logOf({ callId }: CallSpec): Promise<CallLogEntryBody[]> {
    return (await this.bus.callLogs.read(callId)).map(({ event }) => event.body);
  }

  /** Waits for the end of the call and returns its log. */
  endedLogOf(call: CallSpec): Promise<CallLogEntryBody[]> {
    return eventually(async () => {
      const bodies = await this.logOf(call);
      if (bodies.at(-1)?.type !== 'ended') throw new Error('the call has not ended');
      return bodies;
    });
  }

  /** Ends the call like the API. The audio may end before the reply arrives. */
  async end({ callId }: CallSpec): Promise<void> {
    await eventually(async () => {
      const reply = await this.bus.commands.send(callId, { kind: 'end' });
      if (reply?.outcome !== 'accepted') throw new Error('the worker did not end the call');
    });
  }

  tokenFor({ callId }: CallSpec): Promise<string> {
    return this.#tokens.sign({ callId, expiresAtMs: Date.now() + 60_000 });
  }

  async #start(): Promise<void> {
    this.#started += 1;
    const id = `w${this.#started}`;
    const env = {
      WORKER_ID: id,
      JOIN_TOKEN_SECRET: SECRET,
      DATA_DIR: this.folder,
      DRAIN_LIMIT_MS: '300',
      // Longer than a client needs to reconnect on a busy machine.
      RECONNECT_GRACE_MS: '10000',
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
      ...this.#env,
    };
    const worker = await MediaWorkerProcess.start(this.#natsUrl, env, this.#namespace);
    this.#workers.set(id, worker);
  }
}

/** Makes a server of this network namespace available on the same port in another namespace. */
async function linkTo(url: string, namespace: string, path: string): Promise<AsyncDisposable[]> {
  const port = Number(new URL(url).port);
  return [
    await startForwarder(null, { listen: path, connect: port }),
    await startForwarder(namespace, { listen: port, connect: path }),
  ];
}
