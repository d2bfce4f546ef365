import type { Clock } from '@calls/foundation/clock';
import type { WorkerDirectory } from './worker-directory.ts';

/** How long what the workers said is believed. */
const FRESH_MS = 3000;

/**
 * Why no live media worker can do WebRTC, in the words of one of them; null where one can, or where none is there to tell: calls
 * wait for workers then. Doesn't reject.
 */
export function createWebRtcOffer(
  workers: Pick<WorkerDirectory, 'list'>,
  clock: Clock,
): () => Promise<string | null> {
  let known: { fault: Promise<string | null>; atMs: number } | null = null;
  return () => {
    const nowMs = clock.nowMs();
    if (!known || nowMs - known.atMs >= FRESH_MS) {
      known = { fault: askWorkers(workers).catch(() => null), atMs: nowMs };
    }
    return known.fault;
  };
}

async function askWorkers(workers: Pick<WorkerDirectory, 'list'>): Promise<string | null> {
  const faults = (await workers.list()).map(({ webRtcFault }) =>
    webRtcFault === undefined ? 'a media worker is of an older version' : webRtcFault,
  );
  return faults.includes(null) ? null : (faults[0] ?? null);
}
