import { describe, expect, it } from '@jest/globals';
import { CallRecorder } from '@calls/conversation/recording/call-recorder';
import { ScriptedRecording } from '@calls/testkit/scripted/recordings';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { expectNothingLeft, startCall } from '../support/scripted-call.ts';

const SAMPLES_PER_MS = 16;

/** The sounds of a track, in milliseconds. Gaps below 10 ms do not separate sounds. */
function sounds(track: Int16Array): { fromMs: number; toMs: number }[] {
  const found: { fromMs: number; toMs: number }[] = [];
  for (let i = 0; i < track.length; i += 1) {
    if (Math.abs(track[i] ?? 0) < 100) continue;
    const ms = i / SAMPLES_PER_MS;
    const last = found.at(-1);
    if (last && ms - last.toMs < 10) last.toMs = ms + 1 / SAMPLES_PER_MS;
    else found.push({ fromMs: ms, toMs: ms + 1 / SAMPLES_PER_MS });
  }
  return found;
}

/** The sounds of both tracks begin and end at the same times, within the tolerance. */
function expectAligned(actual: Int16Array, expected: Int16Array, toleranceMs: number): void {
  const [got, want] = [sounds(actual), sounds(expected)];
  expect(got).toHaveLength(want.length);
  want.forEach(({ fromMs, toMs }, i) => {
    expect(Math.abs((got[i]?.fromMs ?? Number.NaN) - fromMs)).toBeLessThanOrEqual(toleranceMs);
    expect(Math.abs((got[i]?.toMs ?? Number.NaN) - toMs)).toBeLessThanOrEqual(toleranceMs);
  });
}

describe('a recording', () => {
  it('contains both sides at their playback times, cut at interruptions', async () => {
    const long = 'One two three four five six seven eight nine ten eleven twelve thirteen.';
    const call = startCall({
      stt: ['hello', 'stop please'],
      llm: [long, 'Fine.'],
      spec: { recordingEnabled: true },
    });
    await call.transport.silence(call.clock, 700);
    const spokenFromMs = call.clock.nowMs();
    await call.saySomething(1500);
    const interruptedFromMs = call.clock.nowMs();
    await call.transport.speak(call.clock, 900);
    await call.transport.silence(call.clock, 3000);
    const durationMs = call.clock.nowMs();
    await call.hangUp();

    const { recording } = call;
    expect(recording?.closed).toBe(true);
    expect(call.outcome?.recording).toMatchObject({ durationMs });
    const user = sounds(recording?.user ?? new Int16Array(0));
    expect(user).toHaveLength(2);
    // A frame arrives with its last sample, so it was spoken during the 20 ms before.
    expect(Math.abs((user[0]?.fromMs ?? 0) - spokenFromMs)).toBeLessThanOrEqual(20);
    expect(Math.abs((user[0]?.toMs ?? 0) - spokenFromMs - 1000)).toBeLessThanOrEqual(20);
    expect(Math.abs((user[1]?.fromMs ?? 0) - interruptedFromMs)).toBeLessThanOrEqual(20);

    const agent = recording?.agent ?? new Int16Array(0);
    expectAligned(agent, call.transport.playedAudio(durationMs), 1);
    const [answer] = sounds(agent);
    const clearedMs = call.transport.clears[0] ?? 0;
    expect(Math.abs((answer?.toMs ?? 0) - clearedMs)).toBeLessThanOrEqual(1);
    expect(clearedMs - interruptedFromMs).toBeLessThanOrEqual(700 + 40);
    expectNothingLeft(call);
  });

  it('contains resumed audio only once', async () => {
    const call = startCall({
      stt: ['hours', ''],
      llm: ['Here are the opening hours of the shop. We open at nine.'],
      spec: { recordingEnabled: true },
    });
    await call.saySomething(800);
    await call.transport.speak(call.clock, 200);
    await call.transport.silence(call.clock, 6000);
    const durationMs = call.clock.nowMs();
    await call.hangUp();
    const agent = call.recording?.agent ?? new Int16Array(0);
    expectAligned(agent, call.transport.playedAudio(durationMs), 1);
    expect(sounds(agent).length).toBeGreaterThan(1);
    expectNothingLeft(call);
  });

  it('is silent and as long as the call when there is no audio', async () => {
    const call = startCall({ spec: { recordingEnabled: true } });
    await call.clock.advance(12_345);
    await call.hangUp();
    expect(call.recording?.durationMs).toBe(12_345);
    expect(call.recording?.blocks.every((block) => block.every((sample) => sample === 0))).toBe(true);
    expectNothingLeft(call);
  });

  it('contains silence for missing audio and follows the clock', async () => {
    const call = startCall({ spec: { recordingEnabled: true } });
    await call.transport.speak(call.clock, 1000);
    for (let i = 0; i < 5; i += 1) {
      await call.clock.advance(400);
      call.transport.events.push({ type: 'input_missing', durationMs: 400 });
    }
    await call.transport.speak(call.clock, 1000);
    await call.transport.silence(call.clock, 3000);
    await call.hangUp();
    const [first, second] = sounds(call.recording?.user ?? new Int16Array(0));
    expect(Math.abs((first?.toMs ?? 0) - 1000)).toBeLessThanOrEqual(20);
    expect(Math.abs((second?.fromMs ?? 0) - 3000)).toBeLessThanOrEqual(20);
    expect(Math.abs((second?.toMs ?? 0) - 4000)).toBeLessThanOrEqual(20);
  });

  it('is not created when recording is disabled', async () => {
    const call = startCall({});
    await call.saySomething();
    await call.hangUp();
    expect(call.recording).toBeUndefined();
    expect(call.outcome?.recording).toBeNull();
  });
});

describe('CallRecorder', () => {
  it('writes an hour of audio exactly to the sample, at most three seconds late', async () => {
    const clock = new VirtualClock();
    const sink = new CountingSink();
    const recorder = new CallRecorder({ sink, agentSampleRateHz: 24_000, startMs: clock.nowMs(), clock });
    const agentAudio = new Int16Array(2400).fill(3000);
    const userAudio = new Int16Array(1600).fill(2000);
    const silence = new Int16Array(1600);
    let furthestBehindMs = 0;
    // Both sides speak during the first second of every ten seconds.
    for (let tenths = 0; tenths < 36_000; tenths += 1) {
      await clock.advance(100);
      const speaks = tenths % 100 < 10;
      recorder.writeUserAudio(speaks ? userAudio : silence);
      if (speaks) recorder.writeAgentAudio(agentAudio, clock.nowMs() - 100);
      furthestBehindMs = Math.max(furthestBehindMs, clock.nowMs() - sink.writtenMs);
    }
    await recorder.close();
    expect(sink.writtenMs).toBe(3_600_000);
    expect(furthestBehindMs).toBeLessThanOrEqual(3000);
    expect(sink.largestBlockBytes).toBeLessThanOrEqual(64_000);
    expect(sink.onsets).toHaveLength(2 * 360);
    expect(
      Math.max(...sink.onsets.map((ms) => Math.abs(ms - Math.round(ms / 10_000) * 10_000))),
    ).toBeLessThan(1);
    expect(clock.pendingTimers).toBe(0);
  });
});

/** Measures blocks when they are written and stores none of them. */
class CountingSink extends ScriptedRecording {
  writtenMs = 0;
  largestBlockBytes = 0;
  /** When a channel begins to sound after silence, in milliseconds. */
  readonly onsets: number[] = [];
  readonly #quietMs = [1000, 1000];

  override write(pcm: Uint8Array): void {
    const block = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.byteLength / 2);
    this.largestBlockBytes = Math.max(this.largestBlockBytes, pcm.byteLength);
    for (const channel of [0, 1]) {
      let quietMs = this.#quietMs[channel] ?? 0;
      for (let i = channel; i < block.length; i += 2) {
        const sample = block[i] ?? 0;
        if (sample < 1000) {
          quietMs += 1 / SAMPLES_PER_MS;
          continue;
        }
        if (quietMs > 500) this.onsets.push(this.writtenMs + (i >> 1) / SAMPLES_PER_MS);
        quietMs = 0;
      }
      this.#quietMs[channel] = quietMs;
    }
    this.writtenMs += block.length / 2 / SAMPLES_PER_MS;
  }
}
