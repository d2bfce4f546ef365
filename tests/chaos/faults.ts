import { setTimeout as after } from 'node:timers/promises';
import type { SupervisedProcess } from '@calls/local-stack/process/supervised-process';
import type { Stack } from '@calls/local-stack/stack';
import type { ChaosOptions } from './chaos-options.ts';

/** `kill`: SIGKILL. `drain`: SIGTERM. `pause`: SIGSTOP for some time. */
export type FaultKind = 'kill' | 'drain' | 'pause';

export interface Fault {
  kind: FaultKind;
  /** Names of the affected processes. */
  targets: string[];
  /** Wall-clock time. */
  atMs: number;
  /** Time until all of them had recovered. */
  backAfterMs: number;
}

type Part = 'media-worker' | 'control-plane' | 'dispatcher' | 'postgresql' | 'redis' | 'nats';

interface FaultType {
  kind: FaultKind;
  parts: readonly Part[];
}

/** Faults in repeated order. If a service has several processes, a different one is affected each time. */
const ROUND: readonly FaultType[] = [
  { kind: 'kill', parts: ['media-worker'] },
  { kind: 'kill', parts: ['control-plane'] },
  { kind: 'pause', parts: ['media-worker'] },
  { kind: 'kill', parts: ['nats'] },
  { kind: 'kill', parts: ['dispatcher'] },
  { kind: 'kill', parts: ['postgresql'] },
  { kind: 'drain', parts: ['media-worker'] },
  { kind: 'kill', parts: ['redis'] },
];
/** Additional faults of every second round: several simultaneous ones, and pauses of other processes. */
const HARD_ROUND: readonly FaultType[] = [
  ...ROUND,
  { kind: 'kill', parts: ['media-worker', 'media-worker'] },
  { kind: 'kill', parts: ['media-worker', 'nats'] },
  { kind: 'kill', parts: ['control-plane', 'postgresql'] },
  { kind: 'kill', parts: ['control-plane', 'control-plane'] },
  { kind: 'pause', parts: ['control-plane'] },
  { kind: 'pause', parts: ['dispatcher'] },
  { kind: 'pause', parts: ['postgresql'] },
  { kind: 'pause', parts: ['redis'] },
  { kind: 'pause', parts: ['nats'] },
  { kind: 'drain', parts: ['control-plane'] },
  { kind: 'drain', parts: ['dispatcher'] },
];

const BACK_LIMIT_MS = 90_000;
const POLL_MS = 50;

export type FaultOptions = Pick<ChaosOptions, 'pauseMs' | 'only'>;

/** Injects one fault after another, each after recovery from the one before. */
export class FaultInjector {
  readonly made: Fault[] = [];
  readonly #stack: Stack;
  readonly #options: FaultOptions;
  readonly #turns = new Map<string, number>();
  #round: FaultType[] = [];
  #rounds = 0;

  constructor(stack: Stack, options: FaultOptions) {
    this.#stack = stack;
    this.#options = options;
  }

  /** Number of completed rounds. */
  get roundsDone(): number {
    return this.#round.length === 0 ? this.#rounds : this.#rounds - 1;
  }

  async next(): Promise<Fault> {
    if (this.#round.length === 0) {
      this.#round = (this.#rounds % 2 === 0 ? ROUND : HARD_ROUND).filter(({ parts }) =>
        this.#isWanted(parts),
      );
      if (this.#round.length === 0) throw new Error('no service or server is selected for faults');
      this.#rounds += 1;
    }
    const { kind, parts } = this.#round.shift()!;
    const targets = parts.map((part) => this.#pick(part));
    const fault = { kind, targets: targets.map(({ name }) => name), atMs: Date.now(), backAfterMs: 0 };
    this.made.push(fault);
    const started = performance.now();
    await Promise.all(targets.map((target) => this.#hit(kind, target)));
    await allUp(targets);
    fault.backAfterMs = Math.round(performance.now() - started);
    return fault;
  }

  async #hit(kind: FaultKind, target: SupervisedProcess): Promise<void> {
    switch (kind) {
      case 'kill':
        await target.kill();
        return;
      case 'drain':
        await target.stop();
        return;
      case 'pause':
        target.signal('SIGSTOP');
        await after(this.#options.pauseMs);
        target.signal('SIGCONT');
    }
  }

  #isWanted(parts: readonly Part[]): boolean {
    const { only } = this.#options;
    return only === null || parts.every((part) => only.includes(part));
  }

  #pick(part: Part): SupervisedProcess {
    const found = processesOf(this.#stack).filter(({ name }) => serviceOf(name) === part);
    const turn = this.#turns.get(part) ?? 0;
    this.#turns.set(part, turn + 1);
    const picked = found[turn % found.length];
    if (!picked) throw new Error(`unknown service or server ${part}`);
    return picked;
  }
}

/** The service of a process: `media-worker` for `media-worker-2`. */
export function serviceOf(processName: string): string {
  return processName.replace(/-\d+$/u, '');
}

export function processesOf(stack: Stack): SupervisedProcess[] {
  return [...stack.processes.values(), ...stack.servers.processes.values()];
}

/** Rejects if a process does not recover. */
export async function allUp(processes: readonly SupervisedProcess[]): Promise<void> {
  const untilMs = performance.now() + BACK_LIMIT_MS;
  for (;;) {
    const down = processes.filter(({ pid }) => pid === undefined).map(({ name }) => name);
    if (down.length === 0) return;
    if (performance.now() > untilMs) throw new Error(`${down.join(', ')} did not start again`);
    await after(POLL_MS);
  }
}
