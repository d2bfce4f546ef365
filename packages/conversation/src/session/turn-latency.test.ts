import { describe, expect, it } from '@jest/globals';
import { TurnLatencyMarks } from './turn-latency.ts';

const times = { startedMs: 1130, firstTokenMs: 1380, firstAudioMs: 1500 };

describe('TurnLatencyMarks', () => {
  it('measures from the last speech of the turn when speech follows before the response', () => {
    const marks = new TurnLatencyMarks();
    marks.transcribed(1120);
    marks.endpointReached(1384, 1000);
    marks.decided(1400);
    marks.endpointReached(1490, 1450);
    marks.transcribed(1495);
    expect(marks.audioStarted(1510, times)).toEqual({
      endpointMs: 384,
      transcriptMs: 120,
      decidedMs: 400,
      firstTokenMs: 380,
      firstAudioMs: 500,
      firstAudioSentMs: 510,
    });
  });

  it('reports 0 for a transcript that arrived before the end of speech', () => {
    const marks = new TurnLatencyMarks();
    marks.transcribed(400);
    marks.endpointReached(1384, 1000);
    marks.decided(6000);
    expect(marks.audioStarted(6200, times)).toMatchObject({ transcriptMs: 0, decidedMs: 5000 });
  });

  it('reports nothing for a turn without a response', () => {
    const marks = new TurnLatencyMarks();
    marks.transcribed(1120);
    marks.endpointReached(1384, 1000);
    expect(marks.audioStarted(1510, times)).toBeNull();
    marks.decided(1600);
    expect(marks.audioStarted(1700, { ...times, firstTokenMs: null })).toMatchObject({ firstTokenMs: null });
    expect(marks.audioStarted(1800, times)).toBeNull();
  });
});
