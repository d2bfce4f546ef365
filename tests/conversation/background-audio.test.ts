import { describe, expect, it } from '@jest/globals';
import type { BackgroundClips } from '@calls/conversation/ports/background-clips';
import { AppError } from '@calls/foundation/errors';
import { expectNothingLeft, startCall, type Scripts } from '../support/scripted-call.ts';

const SAMPLES_PER_MS = 16;
/** Each sample equals its index and is below the samples of the scripted voice. */
const CLIP = Int16Array.from({ length: 97 }, (_, i) => i);
const backgroundAudio = { audioClip: 'brown_noise', volume: 1 };
const clips: BackgroundClips = { load: () => Promise.resolve(CLIP) };
const withClip = { spec: { backgroundAudio, recordingEnabled: true }, services: { backgroundClips: clips } };

/** Plays a response, an interruption, a second response and silence. */
async function converse(scripts: Scripts) {
  const call = startCall({
    stt: ['hello', 'stop please'],
    llm: ['One two three four five six seven eight nine ten eleven twelve thirteen.', 'Fine. Goodbye.'],
    spec: { recordingEnabled: true },
    ...scripts,
  });
  await call.transport.silence(call.clock, 700);
  await call.saySomething(1500);
  await call.transport.speak(call.clock, 700);
  await call.transport.silence(call.clock, 4000);
  const durationMs = call.clock.nowMs();
  const played = call.transport.playedAudio(durationMs);
  await call.hangUp();
  return { call, played, durationMs };
}

/** The played audio without the background clip, which starts within 10 ms of the call and repeats. */
function voiceIn(played: Int16Array): Int16Array {
  const start = played.findIndex((sample) => sample !== 0) - 1;
  expect(start / SAMPLES_PER_MS).toBeLessThanOrEqual(10);
  return played.map((sample, i) => (i < start ? sample : sample - (CLIP[(i - start) % CLIP.length] ?? 0)));
}

/** The duration of all sound, in milliseconds. */
const soundMs = (samples: Int16Array): number =>
  samples.reduce((count, sample) => (Math.abs(sample) > 100 ? count + 1 : count), 0) / SAMPLES_PER_MS;

describe('a call with background audio', () => {
  it('plays the clip throughout the call and leaves the voice unchanged', async () => {
    const plain = await converse({});
    const { call, played, durationMs } = await converse(withClip);
    const voice = voiceIn(played);
    const expected = plain.played;
    expect(new Set(voice)).toEqual(new Set(expected));
    expect(Math.abs(soundMs(voice) - soundMs(expected))).toBeLessThanOrEqual(40);

    expect(call.transport.clears).toHaveLength(plain.call.transport.clears.length);
    expect(call.transport.states).toEqual(plain.call.transport.states);
    expect(call.messages).toEqual(plain.call.messages);
    expect(call.latencies).toEqual(plain.call.latencies);
    expect(durationMs).toBe(plain.durationMs);
    expectNothingLeft(call);
  });

  it('records the voice at its playback time, without the clip', async () => {
    const { call, played } = await converse(withClip);
    const agent = call.recording?.agent ?? new Int16Array(0);
    const voice = voiceIn(played);
    const differs = voice.findIndex((sample, i) => Math.abs(sample - (agent[i] ?? 0)) > 0);
    expect(differs).toBe(-1);
  });

  it('plays the clip during text responses', async () => {
    const { spec, services } = withClip;
    const call = startCall({ spec: { ...spec, initialOutputMedium: 'text' }, services });
    await call.clock.advance(5000);
    expect(call.transport.playedMs()).toBeGreaterThanOrEqual(5000);
    expect(call.transport.playedMs()).toBeLessThanOrEqual(5040);
    await call.hangUp();
  });

  it('continues without the clip and reports an event when it fails to load', async () => {
    const error = new AppError('background_audio_unavailable', 'The clip is away.');
    const plain = await converse({});
    const { call, played } = await converse({
      ...withClip,
      services: { backgroundClips: { load: () => Promise.reject(error) } },
    });
    expect(played).toEqual(plain.played);
    expect(call.noted('background_audio_error')).toMatchObject([
      { severity: 'warning', text: 'The clip is away.', extras: { code: 'background_audio_unavailable' } },
    ]);
    expectNothingLeft(call);
  });

  it('plays no audio when the clip loads after the end of the call', async () => {
    const late = Promise.withResolvers<Int16Array>();
    const call = startCall({ ...withClip, services: { backgroundClips: { load: () => late.promise } } });
    await call.clock.advance(1000);
    await call.hangUp();
    late.resolve(CLIP);
    await call.clock.advance(100);
    expect(call.transport.playedMs()).toBe(0);
    expectNothingLeft(call);
  });
});
