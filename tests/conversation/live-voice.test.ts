import { describe, expect, it } from '@jest/globals';
import { BackgroundMixer } from '@calls/conversation/playout/background-mixer';
import { LiveVoice, MAX_WAITING_MS } from '@calls/conversation/playout/live-voice';
import { Pacer } from '@calls/conversation/playout/pacer';
import type { AudioOutput } from '@calls/conversation/ports/media-transport';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { VirtualClock } from '@calls/testkit/virtual-clock';

const RATE_HZ = 16_000;
const PIECE = new Int16Array(RATE_HZ / 50).fill(1000);
/** Arrival times of pieces of 20 ms: late by up to 40 ms, and some two at once. */
const LATE_MS = [0, 15, 40, 20, 0, 35, 15, 5];

function start(open: (output: AudioOutput, pacer: Pacer, clock: VirtualClock) => AudioOutput = (o) => o) {
  const clock = new VirtualClock();
  const pacer = new Pacer(clock);
  const transport = new LoopbackTransport(clock);
  const frames: number[] = [];
  const errors: Error[] = [];
  const voice = new LiveVoice({
    inputRateHz: RATE_HZ,
    output: open(transport, pacer, clock),
    pacer,
    clock,
    onFrame: (_samples, startMs) => frames.push(startMs),
    onFatalError: (error) => errors.push(error),
  });
  return { clock, pacer, transport, voice, frames, errors };
}

async function playJittered({ clock, voice }: ReturnType<typeof start>, pieces: number): Promise<void> {
  const startMs = clock.nowMs();
  for (let i = 0; i < pieces; i += 1) {
    await clock.advance(Math.max(0, startMs + i * 20 + (LATE_MS[i % LATE_MS.length] ?? 0) - clock.nowMs()));
    voice.push(PIECE);
  }
}

/** Distinct values in order, without repetitions. */
const levels = (samples: Int16Array): number[] =>
  [...samples].filter((sample, i) => i === 0 || sample !== samples[i - 1]);

describe('LiveVoice', () => {
  it('plays audio that arrives with jitter without gaps', async () => {
    const parts = start();
    await playJittered(parts, 100);
    await parts.clock.advance(500);
    expect(levels(parts.transport.playedAudio(parts.clock.nowMs()))).toEqual([0, 1000, 0]);
    expect(parts.transport.playedMs()).toBe(2000);
    const gaps = parts.frames.map((startMs, i) => startMs - (parts.frames[i - 1] ?? startMs - 20));
    expect(new Set(gaps)).toEqual(new Set([20]));
    parts.voice.close();
    expect([parts.pacer.size, parts.clock.pendingTimers, parts.errors]).toEqual([0, 0, []]);
  });

  it('mixes with background audio', async () => {
    const parts = start((output, pacer, clock) => {
      const mixer = new BackgroundMixer({ output, volume: 1, pacer, clock, onFatalError: () => undefined });
      mixer.play(new Int16Array(160).fill(7));
      return mixer;
    });
    await parts.clock.advance(300);
    await playJittered(parts, 50);
    await parts.clock.advance(300);
    const played = parts.transport.playedAudio(parts.clock.nowMs());
    expect(levels(played).slice(1)).toEqual([7, 1007, 7]);
    expect(played.filter((sample) => sample === 1007)).toHaveLength(RATE_HZ);
  });

  it('drops the oldest audio beyond what may wait', async () => {
    const parts = start();
    parts.voice.push(new Int16Array(RATE_HZ).fill(1));
    parts.voice.push(PIECE);
    await parts.clock.advance(1000);
    const played = parts.transport.playedAudio(parts.clock.nowMs());
    expect(levels(played)).toEqual([0, 1, 1000, 0]);
    expect(parts.transport.playedMs()).toBe(MAX_WAITING_MS);
    parts.voice.close();
  });

  it('stops with an error when the output fails', async () => {
    const parts = start((output) => ({
      outputFormat: output.outputFormat,
      outputLeadMs: output.outputLeadMs,
      clear: () => undefined,
      write: () => {
        throw new Error('no output');
      },
    }));
    parts.voice.push(new Int16Array(RATE_HZ / 10));
    await parts.clock.advance(100);
    expect(parts.errors.map(({ message }) => message)).toEqual(['no output']);
    expect(parts.pacer.size).toBe(0);
  });
});
