import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { findFreePorts } from '@calls/local-stack/free-port';
import { NODE_FLAGS } from '@calls/local-stack/services/fork-module';
import { serviceCompileCache, serviceModule } from './build-services.ts';
import { LONG_ENGINE_LIMITS_ENV } from './lifted-limits.ts';
import { inNamespace } from './network/namespace.ts';
import { testEnvironment } from './start-stack.ts';

/** A media-worker in its own process that can be killed, stopped and drained. */
export class MediaWorkerProcess implements AsyncDisposable {
  /** URL for clients. */
  readonly url: string;
  /** Port for SIP peers. */
  readonly sipPort: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ports: { media: number; sip: number }) {
    this.#child = child;
    this.url = `ws://127.0.0.1:${ports.media}`;
    this.sipPort = ports.sip;
  }

  /** Starts a worker that uses this NATS server, optionally in a network namespace. `env` overrides the defaults. */
  static async start(
    natsUrl: string,
    env: Readonly<Record<string, string>>,
    namespace: string | null = null,
  ): Promise<MediaWorkerProcess> {
    const port = await findFreePorts(1);
    const sipPort = await findFreePorts(1);
    const [execPath, ...execArgv] = inNamespace(namespace, [process.execPath, ...NODE_FLAGS]);
    const child = fork(serviceModule('services/media-worker/src/main.ts'), [], {
      ...{ execPath, execArgv },
      env: {
        ...testEnvironment(),
        NODE_COMPILE_CACHE: serviceCompileCache(),
        LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'error',
        NATS_URL: natsUrl,
        MEDIA_PORT: String(port),
        METRICS_PORT: '0',
        MEDIA_CAPACITY: '10',
        // Accepts calls even if the machine is busy.
        OVERLOAD_DELAY_MS: '0',
        ...LONG_ENGINE_LIMITS_ENV,
        RTC_PORT: '0',
        RTC_WORKERS: '1',
        RTC_LISTEN_ADDRESS: '127.0.0.1',
        SIP_PORT: String(sipPort),
        SIP_LISTEN_ADDRESS: '127.0.0.1',
        ...env,
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
    if (typeof message !== 'object') throw new Error('the media-worker exited during its start');
    return new MediaWorkerProcess(child, { media: port, sip: sipPort });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Kills its mediasoup workers, which interrupts the media of their calls. */
  async killMediasoup(): Promise<void> {
    const { pid } = this.#child;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    for (const child of children.trim().split(' ').map(Number)) {
      if ((await readFile(`/proc/${child}/comm`, 'utf8')).startsWith('mediasoup'))
        process.kill(child, 'SIGKILL');
    }
  }

  /** Resolves when the process has exited. */
  async ended(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended();
  }
}
