import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { Inbox } from './inbox.ts';

function inboxAt(clock: VirtualClock): Inbox<string> {
  return new Inbox<string>(clock, (message) => new Error(message));
}

describe('Inbox', () => {
  const signal = new AbortController().signal;
  const deadline = (clock: VirtualClock) => ({ atMs: clock.nowMs() + 100, message: 'too slow' });

  it('returns the items that were pushed before the end or the failure, then reports it', async () => {
    const clock = new VirtualClock();
    const inbox = inboxAt(clock);
    inbox.push('a');
    inbox.push('b');
    inbox.end(new Error('broken'));
    inbox.push('late');
    expect(await inbox.next(deadline(clock), signal)).toBe('a');
    expect(await inbox.next(deadline(clock), signal)).toBe('b');
    await expect(inbox.next(deadline(clock), signal)).rejects.toThrow('broken');
    const ended = inboxAt(clock);
    ended.end();
    expect(await ended.next(deadline(clock), signal)).toBeNull();
  });

  it('fails a read at its deadline, and all later reads', async () => {
    const clock = new VirtualClock();
    const inbox = inboxAt(clock);
    const waiting = inbox.next(deadline(clock), signal);
    expect(inbox.isWaitedFor).toBe(true);
    await Promise.all([clock.advance(100), expect(waiting).rejects.toThrow('too slow')]);
    expect(inbox.isWaitedFor).toBe(false);
    await expect(inbox.next(deadline(clock), signal)).rejects.toThrow('too slow');
  });

  it('wakes a reader on an item and on an abort, and removes its abort listener', async () => {
    const clock = new VirtualClock();
    const inbox = inboxAt(clock);
    const controller = new AbortController();
    const first = inbox.next(deadline(clock), controller.signal);
    inbox.push('a');
    expect(await first).toBe('a');
    const second = inbox.next(deadline(clock), controller.signal);
    controller.abort(new Error('interrupted'));
    await expect(second).rejects.toThrow('interrupted');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
