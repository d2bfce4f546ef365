import { describe, expect, it } from '@jest/globals';
import { evidenceOf } from '../testing/conversation.ts';
import { isEcho } from './echo.ts';

const agent = 'Hello, this is the flower shop. Would you like roses or tulips?';

describe('isEcho', () => {
  it.each([
    ['this is the flower', false],
    ['Hello, this is', false],
    ['hello this was the flower shop', false],
    ['hello', true],
    ['roses or', false],
    ['or tulips with', false],
    ['tulips we', true],
  ])('returns true for "%s" (at the start of the response: %s)', (text, atStart) => {
    expect(isEcho(text, evidenceOf(agent), atStart)).toBe(true);
  });

  it.each([
    ['tulips', false],
    ['tulips please', false],
    ['hello is anybody there', true],
    ['the roses', false],
    ['stop now', true],
    ['huh', true],
    ['stop', false],
    ['', true],
  ])('returns false for "%s" (at the start of the response: %s)', (text, atStart) => {
    expect(isEcho(text, evidenceOf(agent), atStart)).toBe(false);
  });

  it('returns true for a played word that is too short to be said by a person', () => {
    expect(isEcho('tulips', { ...evidenceOf(agent), durationMs: 96 }, false)).toBe(true);
    expect(isEcho('tulips', { ...evidenceOf(agent), durationMs: 160 }, false)).toBe(false);
    expect(isEcho('stop', { ...evidenceOf(agent), durationMs: 96 }, false)).toBe(false);
  });

  it('returns true for a single played word whose audio matches what was played', () => {
    expect(isEcho('tulips', { ...evidenceOf(agent), echoMatch: 0.4 }, false)).toBe(true);
    expect(isEcho('tulips', { ...evidenceOf(agent), echoMatch: 0.1 }, false)).toBe(false);
    expect(isEcho('stop', { ...evidenceOf(agent), echoMatch: 0.9 }, false)).toBe(false);
  });

  it('returns false for speech that outlasts playback', () => {
    const evidence = evidenceOf(agent);
    expect(isEcho('this is the flower shop', evidence, false)).toBe(true);
    expect(isEcho('this is the flower shop', { ...evidence, outlastsPlaybackMs: 1200 }, false)).toBe(false);
  });

  it('returns true for faint audio that correlates with playback, whatever its transcript', () => {
    expect(isEcho('huh', { ...evidenceOf(agent), soundMatch: 0.8 }, true)).toBe(true);
    expect(isEcho('huh', { ...evidenceOf(agent), soundMatch: 0.3 }, true)).toBe(false);
  });

  it('returns false when the agent has said nothing', () => {
    expect(isEcho('hello there', evidenceOf(''), true)).toBe(false);
  });
});
