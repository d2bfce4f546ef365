import { describe, expect, it } from '@jest/globals';
import { VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';
import { EnergyVad } from './energy-vad.ts';
import { windowLevels, type WindowLevels } from './window-levels.ts';

/** Noise without a pitch, identical in each run. */
function noise(amplitude: number): WindowLevels {
  return windowLevels(
    new Int16Array(VAD_WINDOW_SAMPLES).map((_, i) =>
      Math.round(amplitude * Math.sin(i * 12.9898) * Math.cos(i * 78.233)),
    ),
  );
}

describe('EnergyVad', () => {
  it('distinguishes loud from quiet audio', () => {
    const energy = new EnergyVad();
    const levels = [30, 30, 30, 3000, 6000, 900, 30, 30, 0, 0, 2000];
    expect(levels.map((amplitude) => energy.probability(noise(amplitude)))).toEqual([
      0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1,
    ]);
  });

  it('adapts to steady noise', () => {
    const energy = new EnergyVad();
    const inNoise = Array.from({ length: 1000 }, () => energy.probability(noise(600)));
    expect(inNoise.slice(0, 3)).toEqual([1, 1, 1]);
    expect(Math.max(...inNoise.slice(-500))).toBe(0);
    expect(energy.probability(noise(8000))).toBe(1);
  });
});
