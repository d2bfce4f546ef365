import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ChannelBatch, withChannel } from './channel-batch.ts';

/** Counts the messages of each write. */
class Channel extends Writable {
  readonly writes: number[] = [];

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    this.writes.push(1);
    done();
  }

  override _writev(chunks: unknown[], done: () => void): void {
    this.writes.push(chunks.length);
    done();
  }
}

describe('ChannelBatch', () => {
  it('makes one write of what one turn of the event loop sends', async () => {
    const channel = new Channel();
    const batch = new ChannelBatch(channel);
    const send = (count: number): void => {
      for (let i = 0; i < count; i += 1) {
        batch.gather();
        channel.write('message');
      }
    };
    send(50);
    expect(channel.writes).toEqual([]);
    await endOfTurn();
    expect(channel.writes).toEqual([50]);
    send(1);
    await endOfTurn();
    send(3);
    await endOfTurn();
    expect(channel.writes).toEqual([50, 1, 3]);
  });
});

describe('withChannel', () => {
  it('finds the descriptor of the process that is started', async () => {
    const script = "require('node:fs').createReadStream('', { fd: 3 }).pipe(process.stdout)";
    const { spawned, batch } = withChannel(() =>
      spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] }),
    );
    const channel = spawned.stdio[3] as Writable;
    batch.gather();
    channel.write('one,');
    expect(channel.writableCorked).toBe(1);
    channel.end('two');
    let received = '';
    spawned.stdout?.on('data', (bytes: Buffer) => {
      received += bytes.toString();
    });
    await once(spawned, 'close');
    expect(received).toBe('one,two');
  });

  it('does without where there is none', () => {
    const { spawned, batch } = withChannel(() => 7);
    batch.gather();
    expect(spawned).toBe(7);
  });
});
