import { describe, expect, it } from '@jest/globals';
import type { CallChange } from '@calls/api-contract/bus/call-change';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { CallChangeStreams, type StreamSink } from './call-change-streams.ts';

const CHANGE: CallChange = { accountId: 'a', callId: 'c', state: 'joined' };

class Sink implements StreamSink {
  text = '';
  writableLength = 0;
  destroyed = false;
  #onClose: () => void = () => undefined;

  write(text: string): void {
    this.text += text;
  }

  end(): void {
    this.#onClose();
  }

  destroy(): void {
    this.destroyed = true;
    this.#onClose();
  }

  once(_: 'close', listener: () => void): void {
    this.#onClose = listener;
  }
}

function begin(connection: { connectedForMs: number }) {
  const handlers: ((change: CallChange) => void)[] = [];
  const callChanges = {
    publish: (change: CallChange) => handlers.forEach((handle) => handle(change)),
    subscribe: (handle: (change: CallChange) => void): Disposable => {
      handlers.push(handle);
      return { [Symbol.dispose]: () => void handlers.splice(0) };
    },
  };
  const clock = new VirtualClock();
  const limits = { streams: 2, streamsOfAccount: 1, bufferedBytes: 100 };
  const streams = new CallChangeStreams(
    { bus: { callChanges, connection }, clock, log: silentLogger },
    limits,
  );
  const open = (accountId: string, sink = new Sink()): Sink => {
    streams.assertRoom(accountId);
    streams.open({ accountId, sink, isAllowed: () => Promise.resolve(true) });
    return sink;
  };
  return { streams, open, clock, publish: callChanges.publish };
}

describe('CallChangeStreams', () => {
  it('limits streams overall and per account, and rejects them before the start and after the end', async () => {
    const { streams, open } = begin({ connectedForMs: Infinity });
    expect(() => open('a')).toThrow('unavailable');
    const running = streams.start();
    const first = open('a');
    expect(() => open('a')).toThrow('1 open streams');
    open('b');
    expect(() => open('c')).toThrow('unavailable');
    first.end();
    open('c');
    await running[Symbol.asyncDispose]();
    expect(() => open('a')).toThrow('unavailable');
  });

  it('does not count a client that disconnected before its stream was opened', async () => {
    const { streams, open } = begin({ connectedForMs: Infinity });
    await using _running = streams.start();
    const sink = new Sink();
    sink.destroy();
    open('a', sink);
    expect(sink.text).toBe('');
    expect(() => open('a')).not.toThrow();
  });

  it('closes a stream when the client does not read', async () => {
    const { streams, open, publish } = begin({ connectedForMs: Infinity });
    await using _running = streams.start();
    const sink = open('a');
    sink.writableLength = 100;
    publish(CHANGE);
    expect([sink.destroyed, sink.text.includes('"joined"')]).toEqual([false, true]);
    sink.writableLength = 101;
    publish(CHANGE);
    expect(sink.destroyed).toBe(true);
    expect(() => open('a')).not.toThrow();
  });

  it('sends `resync` after a disconnection of the bus', async () => {
    const connection = { connectedForMs: Infinity };
    const { streams, open, clock } = begin(connection);
    await using _running = streams.start();
    const sink = open('a');
    await clock.advance(10_000);
    expect(sink.text).toContain(': heartbeat');
    connection.connectedForMs = 5000;
    await clock.advance(10_000);
    expect(sink.text.match(/event: resync/gu)).toHaveLength(2);
  });
});
