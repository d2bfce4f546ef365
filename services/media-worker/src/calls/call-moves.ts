import { delay, type Clock } from '@calls/foundation/clock';
import { EACH_MOVE_MS } from './drain-pace.ts';
import type { HostedCall } from './hosted-call.ts';
import type { Successors } from './successors.ts';

type MovableCall = Pick<HostedCall, 'callId' | 'isLive' | 'spec' | 'activity' | 'handOver'>;

export interface CallMovesOptions<Call extends MovableCall> {
  successors: Pick<Successors, 'find'>;
  /** Resolves when the call has left this worker. */
  hasLeft: (call: Call) => Promise<void> | undefined;
  clock: Clock;
}

/** Calls that move at the same time: each needs the processors of both workers and of the client. */
const MOVES = 2;
/** How often calls that are all active are checked for a pause. */
export const CHECK_MS = 100;

/** The order in which calls move: what a user notices least comes first. */
const ORDER = ['none', 'conversation', 'tool'] as const satisfies readonly HostedCall['activity'][];

/**
 * Moves calls to other workers, `MOVES` at a time, each when another worker has prepared to continue it. Silent calls
 * move first. The others move when they are silent and their tools have returned, or when only `EACH_MOVE_MS` for each
 * of them is left of `withinMs`. Calls without stored conversation do not move. Resolves when all have moved, or when
 * `signal` aborts.
 */
export async function moveCalls<Call extends MovableCall>(
  calls: Iterable<Call>,
  withinMs: number,
  signal: AbortSignal,
  { successors, hasLeft, clock }: CallMovesOptions<Call>,
): Promise<void> {
  const waiting = new Set<Call>();
  for (const call of calls) if (call.spec.retention !== 'zdr') waiting.add(call);
  const endsAtMs = clock.nowMs() + withinMs;

  const next = (): Call | undefined => {
    for (const call of waiting) if (!call.isLive) waiting.delete(call);
    const mustMove = endsAtMs - clock.nowMs() <= waiting.size * EACH_MOVE_MS;
    for (const activity of mustMove ? ORDER : ORDER.slice(0, 1))
      for (const call of waiting) if (call.activity === activity) return call;
    return undefined;
  };
  const isOver = (): boolean => signal.aborted;
  const moveEach = async (): Promise<void> => {
    while (!isOver()) {
      const call = next();
      if (!call && waiting.size === 0) return;
      if (!call) {
        await delay(clock, CHECK_MS, signal).catch(() => undefined);
        continue;
      }
      waiting.delete(call);
      const to = await successors.find(call, signal);
      if (to === null || isOver()) continue;
      call.handOver(to);
      await hasLeft(call);
    }
  };
  await Promise.all(Array.from({ length: MOVES }, moveEach));
}
