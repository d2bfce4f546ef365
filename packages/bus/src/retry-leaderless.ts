import { delay, systemClock } from '@calls/foundation/clock';
import { NatsError } from 'nats';
import { isNoResponders, isTimeout, NO_SUITABLE_PEERS } from './bus-error.ts';

/** Longer than the election of a leader after the loss of a server: 4 to 10 s. */
const ELECTION_LIMIT_MS = 12_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

/** `JSClusterNotAvailErr`: the server has no contact to the leader of the cluster. */
const CLUSTER_NOT_AVAILABLE = 10_008;
/** `JSStreamSubjectOverlapErr`, which also occurs while another process changes the same stream. */
const SUBJECTS_OVERLAP = 10_065;

/**
 * Runs `operation` again while its stream has no leader, while the servers of a cluster that has just started have not
 * found each other, while another process changes the stream, or if its response was lost with a server. The last
 * attempt starts within `limitMs`. Rejects with the error of the last attempt, and with other errors immediately. A
 * lost attempt may have taken effect, so repeating it must be harmless.
 */
export async function retryLeaderless<T>(
  operation: () => Promise<T>,
  limitMs = ELECTION_LIMIT_MS,
): Promise<T> {
  const untilMs = systemClock.nowMs() + limitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await operation();
    } catch (thrown) {
      if (!isLeaderless(thrown) || systemClock.nowMs() + pauseMs >= untilMs) throw thrown;
    }
    await delay(systemClock, pauseMs);
  }
}

const LEADERLESS_API = new Set<number | undefined>([
  CLUSTER_NOT_AVAILABLE,
  NO_SUITABLE_PEERS,
  SUBJECTS_OVERLAP,
]);

function isLeaderless(thrown: unknown): boolean {
  const apiError = thrown instanceof NatsError ? thrown.api_error : undefined;
  return apiError ? LEADERLESS_API.has(apiError.err_code) : isNoResponders(thrown) || isTimeout(thrown);
}
