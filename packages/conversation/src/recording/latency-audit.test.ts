import { expect, it } from '@jest/globals';
import { LatencyAudit, type ReportedTurn, type TurnDeviation } from './latency-audit.ts';

const SAMPLES_PER_MS = 16;

/** A square wave of amplitude `level` during `sounds` (from, to; in milliseconds), and of amplitude `noise` elsewhere. */
function track(lengthMs: number, sounds: readonly [number, number][], level = 4000, noise = 0): Int16Array {
  const samples = Int16Array.from({ length: lengthMs * SAMPLES_PER_MS }, (_, i) => (i % 2 ? noise : -noise));
  for (const [fromMs, toMs] of sounds)
    for (let i = fromMs * SAMPLES_PER_MS; i < toMs * SAMPLES_PER_MS; i += 1)
      samples[i] = i % 2 ? level : -level;
  return samples;
}

function audited(user: Int16Array, agent: Int16Array, turns: readonly ReportedTurn[]): TurnDeviation[] {
  const deviations: TurnDeviation[] = [];
  const audit = new LatencyAudit((deviation) => deviations.push(deviation));
  for (const turn of turns) audit.report(turn);
  for (let from = 0; from < user.length; from += 16_000)
    audit.push(user.subarray(from, from + 16_000), agent.subarray(from, from + 16_000));
  audit.close();
  return deviations;
}

const USER = track(8000, [
  [400, 1000],
  // A pause within the turn.
  [1100, 1500],
  [5000, 6000],
]);
const AGENT = track(8000, [
  [2000, 3000],
  [6400, 7000],
]);

it('LatencyAudit reports how far reported times deviate from the recording, within 4 ms', () => {
  const turns = [
    { speechEndMs: 1500, firstSoundMs: 2000 },
    { speechEndMs: 6050, firstSoundMs: 6300 },
  ];
  expect(audited(USER, AGENT, turns)).toEqual([
    { speechEndMs: 0, firstSoundMs: 0 },
    { speechEndMs: 50, firstSoundMs: -100 },
  ]);
});

it('LatencyAudit does not treat a short pause as the end of speech', () => {
  expect(audited(USER, AGENT, [{ speechEndMs: 1000, firstSoundMs: 2000 }])).toEqual([
    { speechEndMs: -500, firstSoundMs: 0 },
  ]);
});

it('LatencyAudit reports null for times that the recording does not show within a second', () => {
  expect(audited(USER, AGENT, [{ speechEndMs: 3500, firstSoundMs: 4500 }])).toEqual([
    { speechEndMs: null, firstSoundMs: null },
  ]);
});

it('LatencyAudit finds the end of speech in low noise and reports null in loud noise', () => {
  const turn = { speechEndMs: 1520, firstSoundMs: 2000 };
  const inNoise = (level: number): (number | null)[] =>
    audited(track(4000, [[400, 1500]], 4000, level), AGENT.subarray(0, 64_000), [turn]).map(
      ({ speechEndMs }) => speechEndMs,
    );
  expect(inNoise(80)).toEqual([20]);
  expect(inNoise(400)).toEqual([null]);
});

it('LatencyAudit audits turns at the end of a recording and drops the oldest of too many pending turns', () => {
  const turns = Array.from({ length: 12 }, (_, i) => ({ speechEndMs: 6000 + i, firstSoundMs: 6400 }));
  expect(audited(USER, AGENT, turns).map(({ speechEndMs }) => speechEndMs)).toEqual([
    4, 5, 6, 7, 8, 9, 10, 11,
  ]);
});
