import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loadOpus } from '@calls/audio/opus';
import { concatSamples } from '@calls/audio/pcm';
import { parseWav } from '@calls/audio/wav';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { InlineOpus } from './inline-opus.ts';
import type { OpusCodecs } from './opus-codecs.ts';
import { OpusThread, startCodecThread } from './opus-thread.ts';

const SPEECH = parseWav(readFileSync('/usr/share/sounds/alsa/Front_Center.wav')).samples.slice(0, 48_000);
const FRAME = SPEECH.subarray(20_000, 20_960);
const log = silentLogger;

const raise = (err: Error): never => {
  throw err;
};

async function eventually(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 20_000 && !holds(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
}

/** Encodes and decodes 50 frames, of which one is recovered, one concealed and one passed over. */
async function through(codecs: OpusCodecs): Promise<{ mediaMs: number[]; audio: (Int16Array | null)[] }> {
  const packets: Uint8Array[] = [];
  const mediaMs: number[] = [];
  const audio: (Int16Array | null)[] = [];
  using encoding = await codecs.openEncoder(48_000, {
    onPacket: (payload, atMs) => {
      packets.push(payload.slice());
      mediaMs.push(atMs);
    },
    onError: raise,
  });
  encoding.expectLoss(20);
  for (let i = 0; i < 50; i += 1) encoding.encode(SPEECH.subarray(i * 960, (i + 1) * 960), i * 20);
  await eventually(() => packets.length === 50);
  using decoding = await codecs.openDecoder(16_000, {
    onAudio: (samples) => void audio.push(samples),
    onError: raise,
  });
  packets.forEach((packet, i) => {
    if (i === 20) decoding.recover(packets[21]!, 20);
    else if (i === 30) decoding.conceal(20);
    else if (i === 40) decoding.pass(20);
    else decoding.decode(packet, 20);
  });
  decoding.decode(new Uint8Array(0), 20);
  decoding.decode(Uint8Array.of(0xff, 0xff, 0xff), 40);
  await eventually(() => audio.length === 52);
  return { mediaMs, audio };
}

describe('OpusThread', () => {
  const threads: OpusThread[] = [];
  const start = async (...args: Parameters<typeof OpusThread.start>): Promise<OpusThread> => {
    const thread = await OpusThread.start(...args);
    threads.push(thread);
    return thread;
  };
  beforeAll(loadOpus);
  afterEach(async () => {
    for (const thread of threads.splice(0)) await thread[Symbol.asyncDispose]();
  });

  it('returns the same as InlineOpus, in the same order, for many streams at the same time', async () => {
    const expected = await through(new InlineOpus());
    expect(expected.mediaMs).toEqual(Array.from({ length: 50 }, (_, i) => i * 20));
    expect(expected.audio.map((samples) => samples?.length)).toEqual(
      Array.from({ length: 52 }, (_, i) => (i === 40 ? undefined : i === 51 ? 640 : 320)),
    );
    const thread = await start({ log, clock: systemClock });
    const all = await Promise.all(Array.from({ length: 8 }, () => through(thread)));
    for (const actual of all) expect(actual).toEqual(expected);
    expect(thread.openStreams).toBe(0);
    expect(concatSamples(expected.audio.filter((samples) => samples !== null)).some((x) => x > 1000)).toBe(
      true,
    );
  });

  it('copies a frame before encode returns, and delivers no packets after a stream is closed', async () => {
    const thread = await start({ log, clock: systemClock });
    const packets: Uint8Array[][] = [[], [], []];
    const [first, second, third] = await Promise.all(
      packets.map((own) =>
        thread.openEncoder(48_000, { onPacket: (payload) => own.push(payload.slice()), onError: raise }),
      ),
    );
    const frame = FRAME.slice();
    first!.encode(frame, 0);
    frame.fill(0);
    second!.encode(FRAME, 0);
    third!.encode(FRAME, 0);
    third![Symbol.dispose]();
    third!.encode(FRAME, 20);
    await eventually(() => packets[1]!.length > 0);
    expect(packets[0]).toEqual(packets[1]);
    expect(packets[2]).toEqual([]);
    expect(() => first!.encode(FRAME.subarray(1), 20)).toThrow(RangeError);
  });

  it('ends only the stream in which an error occurs', async () => {
    const thread = await start({ log, clock: systemClock });
    const errors: string[] = [];
    const decoded: (Int16Array | null)[] = [];
    const listener = { onAudio: (samples: Int16Array | null) => void decoded.push(samples), onError: raise };
    using broken = await thread.openDecoder(16_000, {
      ...listener,
      onError: ({ message }) => void errors.push(message),
    });
    using sound = await thread.openDecoder(16_000, listener);
    broken.conceal(-1);
    sound.conceal(20);
    broken.conceal(20);
    await eventually(() => decoded.length > 0 && errors.length > 0);
    expect(decoded).toHaveLength(1);
    expect(errors).toEqual([expect.stringContaining('frameSize')]);
    expect(thread.openStreams).toBe(1);
  });

  it('ends all streams when its worker thread exits, and can be used again after a restart', async () => {
    const workers: Worker[] = [];
    const thread = await start({ log, clock: systemClock }, () => {
      const worker = startCodecThread();
      workers.push(worker);
      return worker;
    });
    const errors: Error[] = [];
    const onError = (err: Error): void => void errors.push(err);
    using encoding = await thread.openEncoder(48_000, { onPacket: () => undefined, onError });
    using decoding = await thread.openDecoder(16_000, { onAudio: () => undefined, onError });
    await workers[0]!.terminate();
    await eventually(() => errors.length === 2);
    await expect(thread.openDecoder(16_000, { onAudio: () => undefined, onError })).rejects.toThrow('Opus');
    encoding.encode(FRAME, 0);
    decoding.pass(20);
    await eventually(() => thread.isReady);
    expect(await through(thread)).toEqual(await through(new InlineOpus()));
  });

  it('replaces a worker thread that hangs', async () => {
    const clock = new VirtualClock();
    const hangs =
      "require('node:worker_threads').parentPort.postMessage('ready'); setInterval(() => 0, 1000)";
    const thread = await start({ log, clock }, () => new Worker(hangs, { eval: true }));
    const errors: Error[] = [];
    const onError = (err: Error): void => void errors.push(err);
    using encoding = await thread.openEncoder(48_000, { onPacket: () => undefined, onError });
    encoding.encode(FRAME, 0);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(4999);
    expect(thread.isReady).toBe(true);
    await clock.advance(2);
    await eventually(() => errors.length === 1);
    expect(thread.isReady).toBe(false);
  });
});
