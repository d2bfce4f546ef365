import { VAD_WINDOW_MS } from '@calls/engine-ports/voice-activity-detector';
import { describe, expect, it } from '@jest/globals';
import { SpeakerGate } from './speaker-gate.ts';
import { LEVELS_PER_WINDOW } from './window-levels.ts';

const SPEECH = 0.9;
const USER_DB = -25;

/** How many milliseconds of a sound the gate classifies as background. */
function backgroundMs(
  gate: SpeakerGate,
  levelDb: number,
  durationMs: number,
  { probability = SPEECH, agentIsAudible = false } = {},
): number {
  const levels = new Float64Array(LEVELS_PER_WINDOW).fill(32_768 ** 2 * 10 ** (levelDb / 10));
  const windows = Array.from({ length: Math.ceil(durationMs / VAD_WINDOW_MS) });
  return windows.filter(() => gate.isBackground(probability, levels, agentIsAudible)).length * VAD_WINDOW_MS;
}

/** The same for babble that is 9 dB softer than the user on average, and 6 dB in single windows. */
function babbleMs(gate: SpeakerGate, durationMs: number): number {
  let ms = 0;
  for (let atMs = 0; atMs < durationMs; atMs += 4 * VAD_WINDOW_MS)
    for (const belowDb of [6, 10, 12, 10]) ms += backgroundMs(gate, USER_DB - belowDb, VAD_WINDOW_MS);
  return ms;
}

/** A gate that has measured the user's level, and the background level in the user's pauses. */
function gateOf(backgroundDb: number): SpeakerGate {
  const gate = new SpeakerGate();
  for (let i = 0; i < 4; i += 1) {
    backgroundMs(gate, backgroundDb, 320);
    backgroundMs(gate, USER_DB, 960);
  }
  return gate;
}

describe('SpeakerGate', () => {
  it('treats voices softer than the user as background after 0.4 s', () => {
    const gate = gateOf(USER_DB - 10);
    expect(backgroundMs(gate, USER_DB - 10, 1600)).toBeGreaterThanOrEqual(1200);
    expect(backgroundMs(gate, USER_DB, 960)).toBe(0);
    expect(backgroundMs(gate, USER_DB - 10, 320)).toBe(0);
  });

  it('treats babble with peaks almost as loud as the user as background after 1 s', () => {
    const gate = gateOf(USER_DB - 12);
    expect(babbleMs(gate, 2000)).toBeGreaterThanOrEqual(900);
    expect(backgroundMs(gate, USER_DB, 96)).toBe(0);
    expect(backgroundMs(gate, USER_DB - 3, 960)).toBe(0);
    expect(babbleMs(gate, 320)).toBe(0);
  });

  it('notices within 5 s that the background has become loud', () => {
    const gate = gateOf(-Infinity);
    babbleMs(gate, 4992);
    backgroundMs(gate, USER_DB, 960);
    expect(babbleMs(gate, 2000)).toBeGreaterThanOrEqual(900);
  });

  it('does not treat such a voice as background if the room is quieter', () => {
    const gate = gateOf(USER_DB - 26);
    expect(babbleMs(gate, 2000)).toBe(0);
  });

  it('does not treat voices as background before the user has spoken', () => {
    const gate = new SpeakerGate();
    expect(backgroundMs(gate, -35, 5000)).toBe(0);
    expect(backgroundMs(gate, USER_DB, 960)).toBe(0);
  });

  it('does not treat a softer second user as background in a quiet room', () => {
    const gate = gateOf(USER_DB - 40);
    expect(backgroundMs(gate, USER_DB - 40, 960, { probability: 0.01 })).toBe(0);
    expect(backgroundMs(gate, USER_DB - 12, 3000)).toBe(0);
  });

  it('accepts the user again within 6 s of moving away from the microphone', () => {
    const gate = gateOf(USER_DB - 14);
    expect(backgroundMs(gate, USER_DB - 11, 10_000)).toBeLessThan(6000);
    expect(backgroundMs(gate, USER_DB - 11, 3000)).toBe(0);
  });

  it('does not learn the user’s level from a loud echo of the agent', () => {
    const gate = new SpeakerGate();
    for (let i = 0; i < 4; i += 1) {
      backgroundMs(gate, USER_DB - 10, 320);
      backgroundMs(gate, USER_DB + 10, 960, { agentIsAudible: true });
    }
    expect(backgroundMs(gate, USER_DB, 1600)).toBe(0);
  });

  it('accepts digital silence', () => {
    const gate = gateOf(-Infinity);
    expect(backgroundMs(gate, -Infinity, 1000, { probability: 0.01 })).toBe(0);
  });
});
