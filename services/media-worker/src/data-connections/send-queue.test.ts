import { describe, expect, it } from '@jest/globals';
import { SendQueue, type Outgoing } from './send-queue.ts';

const frame = (mark: number, bytes = 4): Uint8Array => new Uint8Array(bytes).fill(mark);

function drained(queue: SendQueue): Outgoing[] {
  const all: Outgoing[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) all.push(next);
  return all;
}

describe('SendQueue', () => {
  it('returns messages and audio in order of arrival', () => {
    const queue = new SendQueue(100);
    queue.pushAudio(frame(1));
    queue.pushMessage('a');
    queue.pushMessage('b');
    queue.pushAudio(frame(2));
    expect(queue.bytes).toBe(10);
    expect(drained(queue)).toEqual([frame(1), 'a', 'b', frame(2)]);
    expect(queue.bytes).toBe(0);
    expect(queue.takeDropped()).toBeNull();
  });

  it('drops the oldest audio before any message, then the oldest messages', () => {
    const queue = new SendQueue(12);
    queue.pushMessage('1111');
    for (const mark of [1, 2, 3]) queue.pushAudio(frame(mark));
    expect(queue.takeDropped()).toEqual({ messages: 0, audioBytes: 4 });
    queue.pushMessage('2222');
    queue.pushMessage('3333');
    expect(queue.takeDropped()).toEqual({ messages: 0, audioBytes: 8 });
    queue.pushMessage('444');
    expect(queue.takeDropped()).toEqual({ messages: 1, audioBytes: 0 });
    expect(queue.takeDropped()).toBeNull();
    expect(drained(queue)).toEqual(['2222', '3333', '444']);
  });

  it('counts the UTF-8 bytes of text, and drops a message that exceeds the limit alone', () => {
    const queue = new SendQueue(7);
    queue.pushMessage('ööö');
    expect(queue.bytes).toBe(6);
    queue.pushMessage('öööö');
    expect(queue.takeDropped()).toEqual({ messages: 2, audioBytes: 0 });
    expect(drained(queue)).toEqual([]);
  });

  it('clears audio but no messages', () => {
    const queue = new SendQueue(100);
    queue.pushAudio(frame(1));
    queue.pushMessage('a');
    queue.clearAudio();
    expect(queue.bytes).toBe(1);
    expect(drained(queue)).toEqual(['a']);
  });
});
