import { describe, expect, it } from '@jest/globals';
import { PlayedMarks } from './played-marks.ts';

const FRAME_MS = 20;
const WAY_MS = 60;

/** A peer that plays audio `slowMs` after it arrives, and returns the marks. Returns the time after the last frame. */
function playing(marks: PlayedMarks, fromMs: number, frames: number, slowMs: number): number {
  const back: { atMs: number; name: string }[] = [];
  let nowMs = fromMs;
  for (let i = 0; i < frames; i += 1) {
    for (const { name } of back.filter(({ atMs }) => atMs <= nowMs)) marks.played(name, nowMs);
    marks.wrote(FRAME_MS, nowMs);
    const name = marks.sent(0);
    if (name !== null) back.push({ name, atMs: nowMs + FRAME_MS + WAY_MS + slowMs });
    nowMs += FRAME_MS;
  }
  return nowMs;
}

function begun(nowMs = 0): PlayedMarks {
  const marks = new PlayedMarks();
  marks.played(marks.begin(nowMs), nowMs + WAY_MS);
  return marks;
}

describe('PlayedMarks', () => {
  it('creates a mark with the first audio after a silence, and every 200 ms', () => {
    const marks = begun();
    const names = Array.from({ length: 22 }, (_, i) => {
      marks.wrote(FRAME_MS, 100 + i * FRAME_MS);
      return marks.sent(0);
    });
    expect(names.flatMap((name, i) => (name === null ? [] : [i]))).toEqual([0, 10, 20]);
    expect(new Set(names.filter((name) => name !== null)).size).toBe(3);
    marks.wrote(FRAME_MS, 5000);
    expect(marks.sent(0)).not.toBeNull();
  });

  it('computes when audio written now starts to play', () => {
    const marks = begun();
    expect(marks.startsInMs(100)).toBe(0);
    marks.wrote(200, 100);
    expect(marks.startsInMs(150)).toBe(150);
    marks.cleared(200);
    expect(marks.startsInMs(200)).toBe(0);
  });

  it('reports no lateness when the peer plays immediately, whatever the round trip time', () => {
    const marks = begun();
    const nowMs = playing(marks, 100, 100, 0);
    expect(marks.lateMs(nowMs)).toBe(0);
  });

  it('reports how late the peer plays', () => {
    const marks = begun();
    const nowMs = playing(marks, 100, 100, 500);
    expect(marks.lateMs(nowMs)).toBeGreaterThanOrEqual(480);
    expect(marks.lateMs(nowMs)).toBeLessThanOrEqual(520);
  });

  it('ignores small differences', () => {
    const marks = begun();
    expect(marks.lateMs(playing(marks, 100, 100, 35))).toBe(0);
  });

  it('reports lateness when the peer stops returning marks, until the mark counts as lost', () => {
    const marks = begun();
    marks.wrote(20, 1000);
    marks.sent(0);
    expect(marks.lateMs(1020 + WAY_MS + 100)).toBe(0);
    expect(marks.lateMs(1020 + WAY_MS + 350)).toBe(250);
    // After three seconds, the mark counts as lost.
    expect(marks.lateMs(1020 + WAY_MS + 3001)).toBe(0);
  });

  it('reports no lateness for a peer that never returns marks', () => {
    const marks = new PlayedMarks();
    marks.begin(0);
    for (let ms = 0; ms < 60_000; ms += FRAME_MS) {
      marks.wrote(FRAME_MS, ms);
      marks.sent(0);
      expect(marks.lateMs(ms + 500)).toBe(0);
    }
  });

  it('ignores marks that are unknown, repeated or returned after a clear', () => {
    const marks = begun();
    marks.wrote(20, 100);
    const name = marks.sent(0) ?? '';
    marks.cleared(110);
    for (const mark of [name, name, '17', '', '__proto__']) marks.played(mark, 5000);
    expect(marks.lateMs(5000)).toBe(0);
  });

  it('treats earlier marks as returned when a later one returns', () => {
    const marks = begun();
    marks.wrote(20, 1000);
    marks.sent(0);
    marks.wrote(200, 1010);
    const second = marks.sent(0) ?? '';
    marks.played(second, 1220 + WAY_MS);
    expect(marks.lateMs(4000)).toBe(0);
  });

  it('continues after a silence with the least delay measured before it', () => {
    const marks = begun();
    let nowMs = playing(marks, 100, 50, 300);
    const lateMs = marks.lateMs(nowMs);
    expect(lateMs).toBeGreaterThanOrEqual(280);
    marks.cleared(nowMs);
    expect(Math.abs(marks.lateMs(nowMs) - 300)).toBeLessThanOrEqual(20);
    nowMs = playing(marks, nowMs + 1000, 100, 0);
    expect(marks.lateMs(nowMs)).toBe(0);
  });

  it('marks only audio that was sent, without pending audio', () => {
    const marks = begun();
    marks.wrote(300, 1000);
    const name = marks.sent(100) ?? '';
    marks.played(name, 1000 + 200 + WAY_MS);
    expect(marks.lateMs(1400)).toBe(0);
    // The 100 ms that were pending count towards the next mark.
    marks.wrote(100, 1300);
    expect(marks.sent(0)).not.toBeNull();
  });
});
