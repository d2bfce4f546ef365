import type { Clock, Timer } from '@calls/foundation/clock';

export interface HangWatchOptions {
  /** CPU time used so far; null if it cannot be read. Never rejects. */
  cpuMs: () => Promise<number | null>;
  /** How long a process may work on an utterance without using CPU time. */
  idleLimitMs: number;
  /** Maximum CPU time of the work. */
  maxCpuMs: number;
  /** Called once. */
  onHanging: () => void;
  clock: Clock;
}

/**
 * Distinguishes a hanging STT process from a slow one on a busy machine: a slow one still uses CPU time. If its CPU
 * time cannot be read, a process hangs when it exceeds the time limit.
 */
export function watchForHang(options: HangWatchOptions): Timer {
  const { cpuMs, idleLimitMs, maxCpuMs, onHanging, clock } = options;
  const begunMs = cpuMs();
  let beforeMs = begunMs;
  let stopped = false;
  let timer: Timer;
  const look = async (): Promise<void> => {
    const nowMs = cpuMs();
    const [begun, before, now] = await Promise.all([begunMs, beforeMs, nowMs]);
    if (stopped) return;
    if (now === null || now === before || now - (begun ?? 0) > maxCpuMs) {
      onHanging();
      return;
    }
    beforeMs = nowMs;
    wait();
  };
  const wait = (): void => {
    timer = clock.setTimer(idleLimitMs, () => void look());
  };
  wait();
  return {
    cancel: () => {
      stopped = true;
      timer.cancel();
    },
  };
}
