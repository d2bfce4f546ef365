import { describe, expect, it } from '@jest/globals';
import { MAX_WAITING_MS, OutputMixer } from '@calls/conversation/playout/output-mixer';
import { Pacer } from '@calls/conversation/playout/pacer';
import type { AudioOutput } from '@calls/conversation/ports/media-transport';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { VirtualClock } from '@calls/foundation/virtual-clock';

const RATE_HZ = 16_000;
const PIECE = new Int16Array(RATE_HZ / 50).fill(1000);
/** How late chunks of 20 ms arrive: up to 40 ms; some arrive at the same time. */
const LATE_MS = [0, 15, 40, 20, 0, 35, 15, 5];

function start(outputOf: (transport: LoopbackTransport) => AudioOutput = (transport) => transport) {
  const clock = new VirtualClock();
  const pacer = new Pacer(clock);
  const transport = new LoopbackTransport(clock);
  const frames: { startMs: number; endMs: number }[] = [];
  const errors: Error[] = [];
  const onFatalError = (error: Error): void => void errors.push(error);
  const mixer = new OutputMixer({ output: outputOf(transport), pacer, clock, onFatalError });
  const voice = mixer.addVoice({
    inputRateHz: RATE_HZ,
    onFrame: ({ length }, startMs) => frames.push({ startMs, endMs: startMs + (length * 1000) / RATE_HZ }),
  });
  return { clock, pacer, transport, mixer, voice, frames, errors };
}

async function playJittered({ clock, voice }: ReturnType<typeof start>, pieces: number): Promise<void> {
  const startMs = clock.nowMs();
  for (let i = 0; i < pieces; i += 1) {
    await clock.advance(Math.max(0, startMs + i * 20 + (LATE_MS[i % LATE_MS.length] ?? 0) - clock.nowMs()));
    voice.push(PIECE);
  }
}

/** The sample values in order, without consecutive repetitions. */
const levels = (samples: Int16Array): number[] =>
  [...samples].filter((sample, i) => i === 0 || sample !== samples[i - 1]);

/** The gaps between frames. */
const gapsMs = (frames: { startMs: number; endMs: number }[]): number[] =>
  frames.slice(1).flatMap(({ startMs }, i) => {
    const gapMs = startMs - (frames[i]?.endMs ?? 0);
    return Math.abs(gapMs) < 0.1 ? [] : [gapMs];
  });

describe('a live voice in an OutputMixer', () => {
  it('plays without gaps when its audio arrives with jitter', async () => {
    const parts = start();
    await playJittered(parts, 100);
    await parts.clock.advance(500);
    expect(levels(parts.transport.playedAudio(parts.clock.nowMs()))).toEqual([0, 1000, 0]);
    expect(parts.transport.playedMs()).toBe(2000);
    expect(gapsMs(parts.frames)).toEqual([]);
    parts.voice.close();
    expect([parts.pacer.size, parts.clock.pendingTimers, parts.errors]).toEqual([0, 0, []]);
  });

  it('is mixed with background audio', async () => {
    const parts = start();
    parts.mixer.playBackground(new Int16Array(160).fill(7), 1);
    await parts.clock.advance(300);
    await playJittered(parts, 50);
    await parts.clock.advance(300);
    const played = parts.transport.playedAudio(parts.clock.nowMs());
    expect(levels(played).slice(1)).toEqual([7, 1007, 7]);
    expect(played.filter((sample) => sample === 1007)).toHaveLength(RATE_HZ);
  });

  it('is mixed with another voice and with the agent, and clipped at full scale', async () => {
    const { clock, transport, mixer, voice } = start();
    const other = mixer.addVoice({ inputRateHz: RATE_HZ, onFrame: null });
    for (let i = 0; i < 50; i += 1) {
      voice.push(PIECE.map(() => 30_000));
      other.push(PIECE.map(() => (i < 25 ? 20_000 : -20_000)));
      if (i >= 10) mixer.write(PIECE);
      await clock.advance(20);
    }
    await clock.advance(500);
    const played = levels(transport.playedAudio(clock.nowMs()));
    expect(played).toEqual([0, 32_767, 11_000, 0]);
    expect(transport.playedMs()).toBeGreaterThanOrEqual(1000);
  });

  it('continues without loss when the agent is interrupted', async () => {
    const { clock, transport, mixer, voice, frames } = start();
    let agentMs = 0;
    for (let i = 0; i < 50; i += 1) {
      voice.push(PIECE.map(() => 1 + i));
      // Writes up to the output lead of 60 ms ahead.
      while (agentMs < i * 20 + mixer.outputLeadMs && i < 25) {
        mixer.write(PIECE);
        agentMs += 20;
      }
      await clock.advance(20);
      if (i === 24) mixer.clear();
    }
    await clock.advance(500);
    expect(mixer.outputLeadMs).toBe(60);
    const played = transport.playedAudio(clock.nowMs());
    const voices = levels(played.map((sample) => sample % 1000).filter((level) => level > 0));
    expect(voices).toEqual(Array.from({ length: 50 }, (_, i) => 1 + i));
    expect(levels(played.map((sample) => (sample >= 1000 ? 1 : 0)))).toEqual([0, 1, 0]);
    // Each sample is reported once; less than a frame may remain unreported.
    expect(gapsMs(frames)).toEqual([]);
    const reportedMs = (frames.at(-1)?.endMs ?? 0) - (frames[0]?.startMs ?? 0);
    expect(reportedMs).toBeGreaterThan(980);
    expect(reportedMs).toBeLessThanOrEqual(1000);
  });

  it('does not delay the agent when it stops', async () => {
    const { clock, transport, mixer, voice } = start();
    for (let i = 0; i < 20; i += 1) {
      voice.push(PIECE);
      await clock.advance(20);
    }
    await clock.advance(500);
    for (let i = 0; i < 20; i += 1) {
      mixer.write(PIECE.map(() => 5));
      await clock.advance(20);
    }
    voice.close();
    mixer.write(PIECE.map(() => 6));
    await clock.advance(100);
    expect(levels(transport.playedAudio(clock.nowMs()))).toEqual([0, 1000, 0, 5, 6, 0]);
    expect(transport.playedMs()).toBe(41 * 20);
  });

  it('drops the oldest audio beyond its buffer limit', async () => {
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
    const parts = start(({ outputFormat, outputLeadMs }) => ({
      outputFormat,
      outputLeadMs,
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
