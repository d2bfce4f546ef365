import type { Clock } from '@calls/foundation/clock';
import type { WorkerDirectory } from './worker-directory.ts';

/** How long a result is cached. */
const FRESH_MS = 3000;

/**
 * The reason why no live media-worker supports WebRTC, as reported by one of them. Null if one does, or if there are no
 * workers or they cannot be listed: calls wait for a worker then. Does not reject.
 */
export function createWebRtcOffer(
  workers: Pick<WorkerDirectory, 'list'>,
  clock: Clock,
): () => Promise<string | null> {
  let known: { issue: Promise<string | null>; atMs: number } | null = null;
  return () => {
    const nowMs = clock.nowMs();
    if (!known || nowMs - known.atMs >= FRESH_MS) {
      known = { issue: webRtcIssueOf(workers).catch(() => null), atMs: nowMs };
    }
    return known.issue;
  };
}

async function webRtcIssueOf(workers: Pick<WorkerDirectory, 'list'>): Promise<string | null> {
  const issues = (await workers.list()).map(({ webRtcFault }) =>
    webRtcFault === undefined ? 'a media-worker is of an older version' : webRtcFault,
  );
  return issues.includes(null) ? null : (issues[0] ?? null);
}
