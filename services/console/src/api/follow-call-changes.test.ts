import { describe, expect, it } from '@jest/globals';
import { followCallChanges } from './follow-call-changes.ts';

const RESYNC = 'event: resync\ndata: {}\n\n';

/** A stream of these texts. With `open`, it stays open until this signal aborts. */
function streamOf(texts: readonly string[], open: AbortSignal | null): Promise<ReadableStream<Uint8Array>> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
      if (open) open.addEventListener('abort', () => controller.error(new Error('aborted')));
      else controller.close();
    },
  });
  return Promise.resolve(stream);
}

describe('followCallChanges', () => {
  it('reports each event but no comments, and reopens the stream when it ends or fails', async () => {
    const abort = new AbortController();
    const reported: string[] = [];
    const streams = [
      () => Promise.reject(new Error('not reachable')),
      () => streamOf([`retry: 1\n\n${RESYNC}: heart`, 'beat\n\nevent: ca', 'll\ndata: {}\n\n'], null),
      (signal: AbortSignal) => streamOf([RESYNC], signal),
    ];
    let opened = 0;
    const follower = {
      open: (signal: AbortSignal) => streams[opened++]!(signal),
      onChange: () => {
        reported.push('change');
        if (opened === streams.length) abort.abort();
      },
      onState: (isLive: boolean) => void reported.push(isLive ? 'live' : 'away'),
    };
    await followCallChanges(follower, abort.signal);
    expect(reported).toEqual(['away', 'live', 'change', 'live', 'change', 'away', 'live', 'change']);
    expect(opened).toBe(3);
  });
});
