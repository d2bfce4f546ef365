import { describe, expect, it } from '@jest/globals';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { connectClient } from './connect-client.ts';

type Outcome = 'joins' | 'has another client' | 'has ended';

/** Connects a client to a call; returns what happened, in order. */
async function connected(outcome: Outcome, setUp: () => Promise<MediaTransport | null>) {
  const seen: string[] = [];
  let settled: Promise<unknown> = Promise.resolve();
  connectClient({
    call: {
      callId: 'call-1',
      isJoined: outcome === 'has another client',
      join: (_transport, version) => {
        seen.push(`join of ${version}`);
        return outcome === 'joins';
      },
      waitWhile: (set) => {
        settled = set;
      },
    },
    setUp: setUp(),
    query: new URLSearchParams({ clientVersion: 'x'.repeat(2) }),
    switches: { flags: {}, unknown: [] },
    by: 'whip',
    onRefused: (reason) => seen.push(`refused: ${reason}`),
    onFailed: () => seen.push('failed'),
    onJoin: (reason, by) => seen.push(by === undefined ? reason : `${reason} by ${by}`),
    log: silentLogger,
  });
  await settled;
  return seen;
}

describe('a client whose media is being set up', () => {
  it.each<[Outcome, string[]]>([
    ['joins', ['join of xx', 'joined by whip']],
    ['has another client', ['join of xx', 'already_joined', 'refused: already_joined']],
    ['has ended', ['join of xx', 'unknown_call', 'refused: unknown_call']],
  ])('is connected or refused if the call %s', async (outcome, expected) => {
    const transport = new LoopbackTransport(new VirtualClock());
    expect(await connected(outcome, () => Promise.resolve(transport))).toEqual(expected);
    expect(transport.closedWith).toBe(outcome === 'joins' ? null : 'unjoined');
  });

  it('does not join if it left before', async () => {
    expect(await connected('joins', () => Promise.resolve(null))).toEqual([]);
  });

  it('is released if the set-up fails', async () => {
    expect(await connected('joins', () => Promise.reject(new Error('no media')))).toEqual(['failed']);
  });
});
