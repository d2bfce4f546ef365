import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { connectSockets } from '@calls/testkit/socket-pair';
import { CHECK_EVERY_MS } from '../media-timeout.ts';
import { ClientSocket, READ_LIMITS } from './client-socket.ts';

const PAUSED_MS = 3000;

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A socket whose client does not read, after a probe and a check. `ends`: how it has ended. */
async function probed() {
  const ends = await connectSockets();
  const { client, socket } = ends;
  const endings: string[] = [];
  const checked = new ClientSocket(
    { socket, maxUnsentBytes: 1_000_000, clock: new VirtualClock() },
    {
      onText: () => undefined,
      onBinary: () => undefined,
      onEnd: (reason, detail) => endings.push(`${reason}: ${detail}`),
    },
  );
  cleanUps.push(() => ends[Symbol.dispose]());
  client.pause();
  checked.checkLife();
  let nowMs = 0;
  /** The process runs, and checks in time. */
  const run = (durationMs: number): void => {
    const untilMs = nowMs + durationMs;
    while (nowMs < untilMs) checked.check((nowMs += CHECK_EVERY_MS));
  };
  /** The process is paused: the next check is late. */
  const pause = (durationMs: number): void => checked.check((nowMs += durationMs));
  run(CHECK_EVERY_MS);
  return { client, socket, endings, run, pause };
}

describe('ClientSocket', () => {
  it('does not lose a client whose answer it did not read because the process was paused', async () => {
    const { client, socket, endings, run, pause } = await probed();
    const answered = once(socket, 'pong');
    pause(PAUSED_MS);
    client.resume();
    await answered;
    run(PAUSED_MS);
    expect(endings).toEqual([]);
  });

  it('loses a client that still does not answer after a pause of the process', async () => {
    const { endings, run, pause } = await probed();
    pause(PAUSED_MS);
    expect(endings).toEqual([]);
    run(PAUSED_MS);
    expect(endings).toEqual(['lost: the client no longer responds']);
  });

  it.each(['ping', 'pong'] as const)(
    'stops reading from a client that sends %ss without end',
    async (kind) => {
      const ends = await connectSockets();
      cleanUps.push(() => ends[Symbol.dispose]());
      const { socket } = ends;
      const listener = { onText: () => undefined, onBinary: () => undefined, onEnd: () => undefined };
      new ClientSocket({ socket, maxUnsentBytes: 1_000_000, clock: new VirtualClock() }, listener);
      const most = READ_LIMITS.burst / 1024;
      for (let received = 1; received < most; received += 1) socket.emit(kind, Buffer.alloc(0));
      expect(socket.isPaused).toBe(false);
      socket.emit(kind, Buffer.alloc(0));
      expect(socket.isPaused).toBe(true);
    },
  );

  it('accepts messages in several frames, and counts those of binary messages', async () => {
    const ends = await connectSockets();
    cleanUps.push(() => ends[Symbol.dispose]());
    const { client, socket } = ends;
    const received: string[] = [];
    const listener = {
      onText: (bytes: Buffer) => void received.push(`text ${bytes.toString()}`),
      onBinary: (bytes: Buffer) => void received.push(`binary ${bytes.byteLength}`),
      onEnd: () => undefined,
    };
    new ClientSocket({ socket, maxUnsentBytes: 1_000_000, clock: new VirtualClock() }, listener);
    for (const binary of [false, true]) {
      for (const piece of ['a', 'b']) client.send(piece, { binary, fin: false });
      client.send('c', { binary, fin: true });
    }
    while (received.length < 2) await once(socket, 'message');
    expect(received).toEqual(['text abc', 'binary 3']);
    const frames = Array.from({ length: READ_LIMITS.burst / 64 }, () => Buffer.from('x'));
    socket.emit('message', frames, true);
    expect(socket.isPaused).toBe(true);
  });
});
