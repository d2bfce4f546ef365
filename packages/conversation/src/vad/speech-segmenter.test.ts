import { describe, expect, it } from '@jest/globals';
import { LEVELS_PER_WINDOW } from './window-levels.ts';
import { SpeechSegmenter, windowsOf, type SpeechEdge } from './speech-segmenter.ts';

const settings = {
  turnEndpointDelayMs: 384,
  minimumTurnDurationMs: 0,
  minimumInterruptionDurationMs: 90,
  frameActivationThreshold: 0.1,
};

const PROBABILITIES: Record<string, number> = { '#': 0.5, '~': 0.2, '.': 0.05 };

/** Edges with the number of the window (from 1) that caused them. `#` is speech, `~` is fading speech, `.` is silence. */
function edges(pattern: string, changed: Partial<typeof settings> = {}): string[] {
  const segmenter = new SpeechSegmenter({ ...settings, ...changed });
  return Array.from(pattern).flatMap((window, i) =>
    segmenter.step(PROBABILITIES[window] ?? 0).map((edge: SpeechEdge) => `${i + 1} ${edge}`),
  );
}

describe('SpeechSegmenter', () => {
  it('reports an utterance that ends after 384 ms of silence', () => {
    expect(edges('..####............')).toEqual([
      '3 speech_started',
      '3 turn_reached',
      '5 interruption_reached',
      '7 speech_paused',
      '18 endpoint_reached',
    ]);
  });

  it('resumes after a pause below the endpoint delay', () => {
    expect(edges('#...##............').slice(2)).toEqual([
      '2 speech_paused',
      '6 speech_resumed',
      '6 interruption_reached',
      '7 speech_paused',
      '18 endpoint_reached',
    ]);
  });

  it('ignores a flickering detector in a pause', () => {
    expect(edges('###..#...#.....').slice(-2)).toEqual(['4 speech_paused', '15 endpoint_reached']);
    expect(edges('###..#...#.#.##.').at(-1)).toBe('16 speech_paused');
  });

  it('reports the pause when speech fades and counts silence from the first silent window', () => {
    expect(edges('####~............').slice(3)).toEqual(['5 speech_paused', '17 endpoint_reached']);
    expect(edges('####~~...........').slice(3)).toEqual(['5 speech_paused']);
    expect(edges('####~##~~.').slice(3)).toEqual(['5 speech_paused', '6 speech_resumed', '8 speech_paused']);
  });

  it('reports the pause again when fading is long', () => {
    expect(edges('####~~~.').slice(3)).toEqual(['5 speech_paused', '8 speech_resumed', '8 speech_paused']);
    expect(edges('####~~~.', { turnEndpointDelayMs: 32 }).at(-1)).toBe('8 endpoint_reached');
  });

  it('treats fading as a pause only after a turn and an interruption', () => {
    expect(edges('~~~~').slice(-2)).toEqual(['3 interruption_reached', '4 speech_paused']);
    expect(edges('~~~~~', { minimumTurnDurationMs: 160 }).at(-1)).toBe('5 interruption_reached');
  });

  it('ignores fading when the threshold is above it', () => {
    expect(edges('####~', { frameActivationThreshold: 0.3 }).at(-1)).toBe('5 speech_paused');
    expect(edges('####~~~.', { frameActivationThreshold: 0.3 })).toHaveLength(4);
  });

  it('rounds durations up to 32 ms windows', () => {
    expect([0, 1, 31, 32, 33, 90, 384, 385].map(windowsOf)).toEqual([1, 1, 1, 1, 2, 3, 12, 13]);
    expect(edges('#.', { turnEndpointDelayMs: 1 })).toEqual(edges('#.', { turnEndpointDelayMs: 31 }));
  });

  it('never interrupts for less than a turn', () => {
    expect(edges('######', { minimumTurnDurationMs: 160 })).toEqual([
      '1 speech_started',
      '5 turn_reached',
      '5 interruption_reached',
    ]);
  });

  it('treats the threshold itself as speech', () => {
    const segmenter = new SpeechSegmenter({ ...settings, frameActivationThreshold: 0.4 });
    expect(segmenter.step(0.399)).toEqual([]);
    expect(segmenter.step(0.4)).toContain('speech_started');
  });

  it('applies new settings from the next utterance on', () => {
    const segmenter = new SpeechSegmenter({ ...settings, turnEndpointDelayMs: 64 });
    const play = (pattern: string): SpeechEdge[] =>
      Array.from(pattern).flatMap((window) => [...segmenter.step(window === '#' ? 0.5 : 0.05)]);
    expect(play('#')).toContain('speech_started');
    segmenter.reconfigure({ ...settings, turnEndpointDelayMs: 128, frameActivationThreshold: 0.6 });
    expect(play('#')).toEqual([]);
    expect(segmenter.isSpeech).toBe(true);
    expect(play('..')).toEqual(['speech_paused', 'endpoint_reached']);
    expect(play('#')).toEqual([]);
    segmenter.reconfigure({ ...settings, turnEndpointDelayMs: 128 });
    expect(play('#...')).not.toContain('endpoint_reached');
    expect(play('.')).toEqual(['endpoint_reached']);
  });

  it('counts silence from the end of the sound when it receives levels', () => {
    const sound = new Float64Array(4).fill(1e7);
    const quiet = new Float64Array(4).fill(10);
    const halfQuiet = Float64Array.of(1e7, 1e7, 10, 10);
    const segmenter = new SpeechSegmenter({ ...settings });
    const step = (probability: number, levels: Float64Array): SpeechEdge[] => [
      ...segmenter.step(probability, levels),
    ];
    for (let window = 0; window < 10; window += 1) step(0.9, sound);
    expect(segmenter.silentWindows).toBe(0);
    // The sound ends within the tenth window; the detector notices it two windows later.
    expect([step(0.9, halfQuiet), step(0.5, quiet), step(0.4, quiet)]).toEqual([[], [], []]);
    expect(step(0.05, quiet)).toEqual(['speech_paused']);
    // Two whole windows before this one, and this one.
    expect(segmenter.silentWindows).toBe(3);
    const edges = Array.from({ length: 9 }, () => step(0.05, quiet));
    expect(edges.findIndex((each) => each.includes('endpoint_reached'))).toBe(8);
    expect(segmenter.silentWindows).toBe(12);
  });

  describe('with the level of the user known', () => {
    const level = (levelDb: number): Float64Array =>
      new Float64Array(LEVELS_PER_WINDOW).fill(32_768 ** 2 * 10 ** (levelDb / 10));
    const levels: Record<string, Float64Array> = { '#': level(-25), s: level(-37), '.': level(-70) };
    /** Edges after a sentence of 2 s. `#` is as loud as that, `s` is 12 dB softer, `.` is silence. */
    const edgesAfterSentence = (pattern: string, changed: Partial<typeof settings> = {}): SpeechEdge[] => {
      const segmenter = new SpeechSegmenter({ ...settings, ...changed });
      const play = (windows: string): SpeechEdge[] =>
        Array.from(windows).flatMap((window) => [
          ...segmenter.step(window === '.' ? 0.05 : 0.9, levels[window]),
        ]);
      play('#'.repeat(60) + '.'.repeat(30));
      return play(pattern);
    };

    it('reports soft speech before its interruption', () => {
      expect(edgesAfterSentence('ssss')).toEqual([
        'speech_started',
        'turn_reached',
        'speech_soft',
        'interruption_reached',
      ]);
    });

    it('reports that soft speech becomes loud after 96 ms, but not single loud windows', () => {
      expect(edgesAfterSentence('sss#s##ss#s')).not.toContain('speech_loud');
      expect(edgesAfterSentence('sss#s###').at(-1)).toBe('speech_loud');
      expect(edgesAfterSentence('ss######').slice(-2)).toEqual(['interruption_reached', 'speech_loud']);
    });

    it('does not report loud speech as soft, also if the first loud window interrupts', () => {
      expect(edgesAfterSentence('####')).not.toContain('speech_soft');
      expect(edgesAfterSentence('#', { minimumInterruptionDurationMs: 0 })).toEqual([
        'speech_started',
        'turn_reached',
        'interruption_reached',
      ]);
    });
  });

  it('ends only the current pause earlier after endPauseAfter', () => {
    const segmenter = new SpeechSegmenter({ ...settings, turnEndpointDelayMs: 160 });
    const play = (pattern: string): SpeechEdge[] =>
      Array.from(pattern).flatMap((window) => [...segmenter.step(window === '#' ? 0.9 : 0.05)]);
    play('####');
    segmenter.endPauseAfter(64);
    expect(play('...')).toEqual(['speech_paused']);
    segmenter.endPauseAfter(96);
    expect(play('.')).toEqual(['endpoint_reached']);
    play('####.');
    segmenter.endPauseAfter(96);
    // The next pause has the full delay again.
    expect(play('##....')).not.toContain('endpoint_reached');
    expect(play('.')).toEqual(['endpoint_reached']);
  });

  it('counts speech across pauses', () => {
    expect(edges('##..##..##', { minimumTurnDurationMs: 160 })).toContain('10 turn_reached');
  });
});
