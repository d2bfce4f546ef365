import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { resetPriority } from '@calls/foundation/process-priority';
import { HostedProcess } from './hosted-process.ts';
import type { HostReport, HostRequest, OutputKind } from './messages.ts';
import { RestartBudget } from '../restart-budget.ts';

const ENTRY = fileURLToPath(new URL('./host-process.ts', import.meta.url));
const MAX_RESTARTS_PER_MINUTE = 10;
/** A host that has not ended a process this long after it should hangs, and is killed. */
const KILL_LIMIT_MS = 10_000;

/**
 * Starts processes from a small helper process. A fork copies the page tables of the parent: about 17 ms at 300 MB, too
 * long for a process with live audio, but 2 ms in the small process.
 */
export class ProcessHost implements AsyncDisposable {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #budget: RestartBudget;
  readonly #processes = new Map<number, HostedProcess>();
  #host: ChildProcess | undefined;
  #lastId = 0;
  #disposed = false;

  constructor(options: { clock: Clock; log: Logger }) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#budget = new RestartBudget(options.clock, MAX_RESTARTS_PER_MINUTE);
    this.#host = this.#start();
  }

  /** The host's process id; undefined while it is not running. */
  get pid(): number | undefined {
    return this.#host?.pid;
  }

  /** Runs `command` with `input` as standard input. Errors appear in the process's `end`. */
  run(command: string, args: readonly string[], input: string, output: OutputKind = 'pipe'): HostedProcess {
    const id = ++this.#lastId;
    const host = this.#running();
    const hosted = new HostedProcess({
      onTaken: (bytes) => this.#send({ type: 'taken', id, bytes }),
      onKill: () => {
        this.#send({ type: 'kill', id });
        if (host) this.#killUnless(host, hosted.end);
      },
    });
    if (!host) {
      hosted.finish({ kind: 'host_lost' });
      return hosted;
    }
    this.#processes.set(id, hosted);
    this.#send({ type: 'run', id, command, args, input, output });
    return hosted;
  }

  /** Kills all running processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const host = this.#host;
    if (!host) return;
    const gone = new Promise((resolve) => host.once('exit', resolve));
    // Not `disconnect`: in the middle of a message, Node waits for an end that it then ignores.
    host.kill('SIGTERM');
    this.#killUnless(host, gone);
    await gone;
  }

  #killUnless(host: ChildProcess, ended: Promise<unknown>): void {
    const timer = this.#clock.setTimer(KILL_LIMIT_MS, () => {
      this.#log.error({ hostPid: host.pid }, 'process host does not respond; killing it');
      host.kill('SIGKILL');
    });
    void ended.then(() => timer.cancel());
  }

  #running(): ChildProcess | undefined {
    if (this.#disposed) return undefined;
    if (!this.#host && this.#budget.take()) this.#host = this.#start();
    return this.#host;
  }

  #start(): ChildProcess {
    // Starts its own session, so that Ctrl-C in the terminal does not stop speech during a drain.
    const host = fork(ENTRY, [], {
      detached: true,
      serialization: 'advanced',
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    resetPriority(host.pid);
    host.on('message', (report) => this.#receive(report as HostReport));
    // After a failed start there is no `exit`. After a failed send, `exit` follows.
    host.on('error', (err) => {
      this.#log.error({ err }, 'process host failed');
      if (host.pid === undefined) this.#lost(host);
    });
    host.on('exit', () => this.#lost(host));
    return host;
  }

  #lost(host: ChildProcess): void {
    if (this.#host !== host) return;
    this.#host = undefined;
    if (!this.#disposed) this.#log.error({ processes: this.#processes.size }, 'process host exited');
    const processes = [...this.#processes.values()];
    this.#processes.clear();
    for (const hosted of processes) hosted.finish({ kind: 'host_lost' });
  }

  #send(request: HostRequest): void {
    // The callback ignores errors of an ending host; its `exit` settles every process.
    if (this.#host?.connected === true) this.#host.send(request, () => undefined);
  }

  #receive(report: HostReport): void {
    const hosted = this.#processes.get(report.id);
    if (!hosted) return;
    if (report.type === 'output') {
      hosted.add(report.bytes);
      return;
    }
    this.#processes.delete(report.id);
    hosted.finish(report.end);
  }
}
