import { expect, it } from '@jest/globals';
import { overlaid } from './choose-voice.ts';

it('overlaid replaces single fields of a voice, also in nested objects, and does not change its input', () => {
  const own = {
    voiceId: 'v',
    speed: 1,
    emotions: ['calm', 'sad'],
    generationConfig: { volume: 1, emotion: 'calm', pronunciationDictId: 'd' },
  };
  const overrides = { emotions: ['angry'], generationConfig: { volume: 1.5 }, model: 'm' };
  expect(overlaid(own, overrides)).toEqual({
    voiceId: 'v',
    speed: 1,
    emotions: ['angry'],
    generationConfig: { volume: 1.5, emotion: 'calm', pronunciationDictId: 'd' },
    model: 'm',
  });
  expect(own.generationConfig.volume).toBe(1);
});
