import { describe, expect, it } from '@jest/globals';
import { similarName } from './similar-name.ts';

const NAMES = ['systemPrompt', 'selectedTools', 'voice', 'id'];

describe('similarName', () => {
  it.each([
    ['systemPromt', 'systemPrompt'],
    ['system-prompt', 'systemPrompt'],
    ['sytsemPrompt', 'systemPrompt'],
    ['SELECTED_TOOL', 'selectedTools'],
    ['voices', 'voice'],
    ['vocie', 'voice'],
  ])('finds the intended name for %s', (given, meant) => expect(similarName(given, NAMES)).toBe(meant));

  it.each(['', 'x', 'temperature', 'noSuchField', 'systemPrompt'.repeat(6)])(
    'finds no name for "%s"',
    (given) => expect(similarName(given, NAMES)).toBeNull(),
  );
});
