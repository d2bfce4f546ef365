import type { ConnectionStatus } from '@calls/bus/connection';
import type { WorkerHeartbeat, WorkerHeartbeats } from '@calls/bus/worker-heartbeats';
import type { Clock, Timer } from '@calls/foundation/clock';

export interface WorkerWatchOptions {
  workerId: string;
  heartbeats: Pick<WorkerHeartbeats, 'send' | 'isAlive'>;
  connection: Pick<ConnectionStatus, 'connectedForMs'>;
  /** Whether this worker takes over calls now. */
  takesCalls: () => boolean;
  onLost: (workerId: string) => void;
  /** Called when this process did not run for a while, so that others may consider it lost. */
  onPaused: () => void;
  clock: Clock;
}

export const HEARTBEAT_EVERY_MS = 100;
/** A worker that is silent for this long is pinged. */
export const SILENT_AFTER_MS = 200;
/** Time limit of a ping, unless the worker's heartbeat has another one: a busy worker needs time to respond. */
export const PING_LIMIT_MS = 900;
/** A tick that is later than this means that this process was paused. */
const PAUSED_AFTER_MS = 500;
/** After an outage of the bus, other workers need time to reconnect. */
export const SETTLED_MS = 3000;

/** Number of lost workers that are remembered. Lost workers do not return, and soon have no calls left to take over. */
const MAX_LOST = 100;

export type WorkerLiveness = 'alive' | 'lost' | 'unknown';

interface Seen {
  atMs: number;
  takesCalls: boolean;
  pingLimitMs: number;
  isChecked: boolean;
}

/**
 * Sends the heartbeat of this worker and detects workers that died or froze: by silence, then a ping without response.
 * Works within a fraction of the time that the worker directory needs. The bus delivers own heartbeats, too: if they do
 * not arrive, the bus is slow.
 */
export class WorkerWatch implements Disposable {
  readonly #options: WorkerWatchOptions;
  readonly #seen = new Map<string, Seen>();
  readonly #lost = new Set<string>();
  #tickedMs: number;
  /** When the first own heartbeat was sent since the bus delivered one; null if it has delivered them. */
  #undeliveredMs: number | null = null;
  #timer: Timer;

  constructor(options: WorkerWatchOptions) {
    this.#options = options;
    this.#tickedMs = options.clock.nowMs();
    this.#timer = options.clock.setTimer(0, () => this.#tick());
  }

  /** Workers that take over calls, including this one. */
  candidates(): string[] {
    const { workerId, takesCalls } = this.#options;
    const others = [...this.#seen].filter(([, seen]) => seen.takesCalls).map(([id]) => id);
    return takesCalls() ? [workerId, ...others] : others;
  }

  /** `lost`: it was reported as lost and has sent no heartbeat since. */
  livenessOf(workerId: string): WorkerLiveness {
    if (this.#lost.has(workerId)) return 'lost';
    return this.#seen.has(workerId) ? 'alive' : 'unknown';
  }

  received({ workerId, takesCalls, pingLimitMs = PING_LIMIT_MS }: WorkerHeartbeat): void {
    if (workerId === this.#options.workerId) {
      this.#undeliveredMs = null;
      return;
    }
    const isChecked = this.#seen.get(workerId)?.isChecked ?? false;
    const atMs = this.#options.clock.nowMs();
    this.#lost.delete(workerId);
    this.#seen.set(workerId, { atMs, takesCalls, pingLimitMs, isChecked });
  }

  /** Watches a worker that may be lost already. */
  expect(workerId: string): void {
    if (!this.#seen.has(workerId)) this.received({ workerId, takesCalls: false });
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }

  #tick(): void {
    const { workerId, heartbeats, connection, takesCalls, onPaused, clock } = this.#options;
    const nowMs = clock.nowMs();
    const isPaused = nowMs - this.#tickedMs > HEARTBEAT_EVERY_MS + PAUSED_AFTER_MS;
    this.#tickedMs = nowMs;
    this.#timer = clock.setTimer(HEARTBEAT_EVERY_MS, () => this.#tick());
    const isBusSlow = this.#isBusSlow();
    heartbeats.send({ workerId, takesCalls: takesCalls() });
    this.#undeliveredMs ??= nowMs;
    if (isPaused) onPaused();
    // This process may not have received the heartbeats that others sent in the meantime.
    if (isPaused || connection.connectedForMs < SETTLED_MS || isBusSlow) {
      for (const seen of this.#seen.values()) seen.atMs = nowMs;
      return;
    }
    for (const [id, seen] of this.#seen)
      if (nowMs - seen.atMs >= SILENT_AFTER_MS && !seen.isChecked) void this.#check(id, seen);
  }

  #isBusSlow(): boolean {
    return (
      this.#undeliveredMs !== null && this.#options.clock.nowMs() - this.#undeliveredMs >= SILENT_AFTER_MS
    );
  }

  async #check(id: string, seen: Seen): Promise<void> {
    const { heartbeats, onLost } = this.#options;
    seen.isChecked = true;
    const hasResponded = await heartbeats.isAlive(id, seen.pingLimitMs).catch(() => true);
    const isAlive = hasResponded || this.#isBusSlow();
    const current = this.#seen.get(id);
    if (isAlive || current !== seen) {
      if (current) current.isChecked = false;
      if (isAlive) seen.atMs = this.#options.clock.nowMs();
      return;
    }
    this.#seen.delete(id);
    this.#lost.add(id);
    const [oldest = id] = this.#lost;
    if (this.#lost.size > MAX_LOST) this.#lost.delete(oldest);
    onLost(id);
  }
}
