import { describe, expect, it } from '@jest/globals';
import { VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';
import { SpeechEnd } from './speech-end.ts';
import { windowLevels, wholeLevelDbfs } from './window-levels.ts';

const SPEECH = 4000;
const PART_SAMPLES = VAD_WINDOW_SAMPLES / 4;

/** Pushes windows of constant samples; each number is the amplitude of 8 ms. */
function pushed(windows: readonly { probability: number; amplitudes: readonly number[] }[]): SpeechEnd {
  const end = new SpeechEnd();
  for (const { probability, amplitudes } of windows) {
    const window = new Int16Array(VAD_WINDOW_SAMPLES);
    amplitudes.forEach((amplitude, part) =>
      window.fill(amplitude, part * PART_SAMPLES, (part + 1) * PART_SAMPLES),
    );
    end.push(probability, windowLevels(window));
  }
  return end;
}

const all = (amplitude: number): readonly number[] => [amplitude, amplitude, amplitude, amplitude];
const speech = Array.from({ length: 20 }, () => ({ probability: 0.9, amplitudes: all(SPEECH) }));

describe('SpeechEnd', () => {
  it('finds the end of the sound within 8 ms when the detector still reported speech', () => {
    const end = pushed([
      ...speech,
      { probability: 0.8, amplitudes: [SPEECH, SPEECH, SPEECH, 20] },
      { probability: 0.6, amplitudes: all(20) },
      { probability: 0.2, amplitudes: all(20) },
      { probability: 0.05, amplitudes: all(20) },
    ]);
    expect(end.beforeSilenceMs()).toBe(2 * 32 + 8);
  });

  it('counts soft sounds at the end as speech', () => {
    const end = pushed([
      ...speech,
      { probability: 0.6, amplitudes: [300, 300, 300, 20] },
      { probability: 0.05, amplitudes: all(20) },
    ]);
    expect(end.beforeSilenceMs()).toBe(8);
  });

  it('moves the end back by at most 96 ms into windows of certain speech', () => {
    const quiet = Array.from({ length: 10 }, () => ({ probability: 0.9, amplitudes: all(20) }));
    expect(pushed([...speech, ...quiet, { probability: 0, amplitudes: all(20) }]).beforeSilenceMs()).toBe(96);
  });

  it('moves the end back by at most 192 ms', () => {
    const fading = Array.from({ length: 20 }, () => ({ probability: 0.2, amplitudes: all(20) }));
    expect(pushed([...speech, ...fading, { probability: 0, amplitudes: all(20) }]).beforeSilenceMs()).toBe(
      192,
    );
  });

  it('uses the speech probability in noise', () => {
    const noise = SPEECH / 10;
    const end = pushed([
      ...speech,
      { probability: 0.6, amplitudes: all(noise) },
      { probability: 0.2, amplitudes: all(noise) },
      { probability: 0.05, amplitudes: all(noise) },
    ]);
    expect(end.beforeSilenceMs()).toBe(2 * 32 + 56);
  });

  it('ignores loud sounds from more than 1.5 s ago', () => {
    const soft = Array.from({ length: 48 }, () => ({ probability: 0.9, amplitudes: all(60) }));
    const end = pushed([...speech, ...soft, { probability: 0.05, amplitudes: all(1) }]);
    expect(end.beforeSilenceMs()).toBe(0);
  });
});

describe('windowLevels', () => {
  it('returns the level of each quarter of the window', () => {
    const window = new Int16Array(VAD_WINDOW_SAMPLES).fill(16_384);
    window.fill(0, 0, VAD_WINDOW_SAMPLES / 2);
    expect([...windowLevels(window)]).toEqual([0, 0, 16_384 ** 2, 16_384 ** 2]);
    expect(wholeLevelDbfs(windowLevels(window))).toBeCloseTo(-9.03, 2);
    expect(wholeLevelDbfs(windowLevels(new Int16Array(VAD_WINDOW_SAMPLES)))).toBe(-Infinity);
  });
});
