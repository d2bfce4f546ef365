import { describe, expect, it } from '@jest/globals';
import { SpeechSegmenter, windowsOf, type SpeechEdge } from './speech-segmenter.ts';

const settings = {
  turnEndpointDelayMs: 384,
  minimumTurnDurationMs: 0,
  minimumInterruptionDurationMs: 90,
  frameActivationThreshold: 0.1,
};

const PROBABILITIES: Record<string, number> = { '#': 0.5, '~': 0.2, '.': 0.05 };

/** Edges with the number of the window (from 1) that caused them. `#` is speech, `~` speech that fades, `.` is silence. */
function edges(pattern: string, changed: Partial<typeof settings> = {}): string[] {
  const segmenter = new SpeechSegmenter({ ...settings, ...changed });
  return Array.from(pattern).flatMap((window, i) =>
    segmenter.step(PROBABILITIES[window] ?? 0).map((edge: SpeechEdge) => `${i + 1} ${edge}`),
  );
}

describe('SpeechSegmenter', () => {
  it('goes through an utterance: 384 ms are twelve windows', () => {
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

  it('is not put off by a detector that flickers in a pause', () => {
    expect(edges('###..#...#.....').slice(-2)).toEqual(['4 speech_paused', '15 endpoint_reached']);
    expect(edges('###..#...#.#.##.').at(-1)).toBe('16 speech_paused');
  });

  it('hears the end where speech fades, and counts the silence from where it is silent', () => {
    expect(edges('####~............').slice(3)).toEqual(['5 speech_paused', '17 endpoint_reached']);
    expect(edges('####~~...........').slice(3)).toEqual(['5 speech_paused']);
    expect(edges('####~##~~.').slice(3)).toEqual(['5 speech_paused', '6 speech_resumed', '8 speech_paused']);
  });

  it('hears the end anew where speech has faded for long, as there may be words in it', () => {
    expect(edges('####~~~.').slice(3)).toEqual(['5 speech_paused', '8 speech_resumed', '8 speech_paused']);
    expect(edges('####~~~.', { turnEndpointDelayMs: 32 }).at(-1)).toBe('8 endpoint_reached');
  });

  it('takes faint speech for the end only after what was a turn and an interruption', () => {
    expect(edges('~~~~').slice(-2)).toEqual(['3 interruption_reached', '4 speech_paused']);
    expect(edges('~~~~~', { minimumTurnDurationMs: 160 }).at(-1)).toBe('5 interruption_reached');
  });

  it('knows no fading where the threshold is above it', () => {
    expect(edges('####~', { frameActivationThreshold: 0.3 }).at(-1)).toBe('5 speech_paused');
    expect(edges('####~~~.', { frameActivationThreshold: 0.3 })).toHaveLength(4);
  });

  it('rounds durations up to windows of 32 ms: 1 to 31 ms behave alike', () => {
    expect([0, 1, 31, 32, 33, 90, 384, 385].map(windowsOf)).toEqual([1, 1, 1, 1, 2, 3, 12, 13]);
    expect(edges('#.', { turnEndpointDelayMs: 1 })).toEqual(edges('#.', { turnEndpointDelayMs: 31 }));
  });

  it('never lets less than a turn interrupt', () => {
    expect(edges('######', { minimumTurnDurationMs: 160 })).toEqual([
      '1 speech_started',
      '5 turn_reached',
      '5 interruption_reached',
    ]);
  });

  it('takes the threshold itself as speech', () => {
    const segmenter = new SpeechSegmenter({ ...settings, frameActivationThreshold: 0.4 });
    expect(segmenter.step(0.399)).toEqual([]);
    expect(segmenter.step(0.4)).toContain('speech_started');
  });

  it('takes new settings between utterances: one under way ends by its own', () => {
    const segmenter = new SpeechSegmenter({ ...settings, turnEndpointDelayMs: 64 });
    const play = (pattern: string): SpeechEdge[] =>
      Array.from(pattern).flatMap((window) => [...segmenter.step(window === '#' ? 0.5 : 0.05)]);
    expect(play('#')).toContain('speech_started');
    segmenter.reconfigure({ ...settings, turnEndpointDelayMs: 128, frameActivationThreshold: 0.6 });
    expect(segmenter.isSpeech(0.5)).toBe(true);
    expect(play('..')).toEqual(['speech_paused', 'endpoint_reached']);
    expect(play('#')).toEqual([]);
    segmenter.reconfigure({ ...settings, turnEndpointDelayMs: 128 });
    expect(play('#...')).not.toContain('endpoint_reached');
    expect(play('.')).toEqual(['endpoint_reached']);
  });

  it('counts speech over pauses: a turn is what was said, not how long it took', () => {
    expect(edges('##..##..##', { minimumTurnDurationMs: 160 })).toContain('10 turn_reached');
  });
});
