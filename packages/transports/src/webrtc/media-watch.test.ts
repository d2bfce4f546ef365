import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { DISCONNECT_LIMIT_MS, MediaWatch, type WatchedTransport } from './media-watch.ts';

class Transport extends EventEmitter implements WatchedTransport {
  iceState: WatchedTransport['iceState'] = 'new';
  dtlsState: WatchedTransport['dtlsState'] = 'new';

  ice(state: WatchedTransport['iceState']): void {
    this.iceState = state;
    this.emit('icestatechange', state);
  }

  dtls(state: WatchedTransport['dtlsState']): void {
    this.dtlsState = state;
    this.emit('dtlsstatechange', state);
  }

  connect(): void {
    this.ice('connected');
    this.dtls('connected');
  }
}

function start(count = 1) {
  const clock = new VirtualClock();
  const losses: number[] = [];
  const watch = new MediaWatch(clock, () => losses.push(clock.nowMs()));
  const transports = Array.from({ length: count }, () => new Transport());
  for (const transport of transports) watch.watch(transport);
  const [one = new Transport(), other = new Transport()] = transports;
  return { clock, losses, watch, one, other };
}

describe('MediaWatch', () => {
  it('reports no loss of media that was never connected', async () => {
    const { clock, losses, one } = start();
    one.ice('disconnected');
    await clock.advance(10 * DISCONNECT_LIMIT_MS);
    expect(losses).toEqual([]);
  });

  it('reports no loss when media reconnects in time', async () => {
    const { clock, losses, one } = start();
    one.connect();
    one.ice('disconnected');
    await clock.advance(DISCONNECT_LIMIT_MS - 1);
    one.ice('completed');
    await clock.advance(10 * DISCONNECT_LIMIT_MS);
    expect(losses).toEqual([]);
  });

  it('reports a loss once, counted from the first disconnected direction', async () => {
    const { clock, losses, one, other } = start(2);
    one.connect();
    other.connect();
    one.ice('disconnected');
    await clock.advance(4000);
    other.dtls('closed');
    one.ice('connected');
    await clock.advance(DISCONNECT_LIMIT_MS - 4001);
    expect(losses).toEqual([]);
    await clock.advance(1);
    expect(losses).toHaveLength(1);
  });

  it('reports no loss after it is closed', async () => {
    const { clock, losses, watch, one } = start();
    one.connect();
    one.ice('disconnected');
    watch.close();
    one.dtls('closed');
    await clock.advance(10 * DISCONNECT_LIMIT_MS);
    expect(losses).toEqual([]);
  });
});
