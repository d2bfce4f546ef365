import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDirectory, type DataDirectory } from '@calls/local-stack/data-directory/data-directory';
import type { SupervisedProcess } from '@calls/local-stack/process/supervised-process';
import { silentReporter } from '@calls/local-stack/reporter';
import { startServer, type ServerName } from '@calls/local-stack/servers/start-servers';
import { copyClusterTemplate } from './cluster-template.ts';

/** A real server with data of its own; it can go away and come back with its data, on the same port. */
export interface ScratchServer {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The launcher's servers, one at a time, for one test file. Closing removes every trace of them. */
export class ScratchServers {
  readonly #directory: DataDirectory;
  readonly #processes: SupervisedProcess[] = [];

  private constructor(directory: DataDirectory) {
    this.#directory = directory;
  }

  static async open(): Promise<ScratchServers> {
    return new ScratchServers(openDataDirectory(await mkdtemp(join(tmpdir(), 'calls-test-'))));
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process[Symbol.asyncDispose]()));
    await rm(this.#directory.root, { recursive: true, force: true });
  }

  /** All that the servers write. */
  get directory(): string {
    return this.#directory.root;
  }

  nats(): Promise<ScratchServer> {
    return this.#start('nats');
  }

  redis(): Promise<ScratchServer> {
    return this.#start('redis');
  }

  async postgres(): Promise<ScratchServer> {
    await copyClusterTemplate(this.#directory.root);
    return this.#start('postgresql');
  }

  async #start(name: ServerName): Promise<ScratchServer> {
    const { url, process } = await startServer(name, {
      directory: this.#directory,
      reporter: silentReporter,
      restart: 'never',
      signal: new AbortController().signal,
      onGivenUp: () => undefined,
    });
    this.#processes.push(process);
    return {
      url,
      start: () => process.start(),
      async stop() {
        await process.stop();
      },
    };
  }
}
