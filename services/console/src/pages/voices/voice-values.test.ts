import { describe, expect, it } from '@jest/globals';
import { fieldsOf } from './voice-options.ts';
import { settingsOf, valuesOf } from './voice-values.ts';

describe('settings of a voice', () => {
  it('are made of what was put in, each of its kind, and can be shown again', () => {
    const fields = fieldsOf('provider2');
    const values = {
      voiceId: ' v1 ',
      speed: '1.1',
      emotions: 'calm, curious',
      'generationConfig.volume': '0.8',
      'generationConfig.emotion': 'calm',
      model: '',
    };
    const { settings, issues } = settingsOf(fields, values);
    expect(issues).toEqual([]);
    expect(settings).toEqual({
      voiceId: 'v1',
      speed: 1.1,
      emotions: ['calm', 'curious'],
      generationConfig: { volume: 0.8, emotion: 'calm' },
    });
    expect(settingsOf(fields, valuesOf(fields, settings))).toEqual({ settings, issues: [] });
  });

  it('of an endpoint have headers in lines and a body in JSON', () => {
    const fields = fieldsOf('generic');
    const values = {
      url: 'https://tts.example/speak',
      headers: 'Authorization: Bearer a:b\n\nX-Voice: 3',
      body: '{"text": "{text}"}',
    };
    const { settings, issues } = settingsOf(fields, values);
    expect(issues).toEqual([]);
    expect(settings).toEqual({
      url: 'https://tts.example/speak',
      headers: { Authorization: 'Bearer a:b', 'X-Voice': '3' },
      body: { text: '{text}' },
    });
    expect(settingsOf(fields, valuesOf(fields, settings)).settings).toEqual(settings);
  });

  it.each([
    ['speed', 'fast', 'provider1', 'must be a number'],
    ['maxSampleRate', '1.5', 'provider1', 'must be a whole number'],
    ['headers', 'nothing', 'generic', 'Name: value'],
    ['body', '{', 'generic', 'is not valid JSON'],
  ] as const)('says of %s that it can’t be %p', (path, text, provider, message) => {
    const { settings, issues } = settingsOf(fieldsOf(provider), { [path]: text });
    expect(settings).toEqual({});
    expect(issues).toEqual([{ path, message: expect.stringContaining(message) as unknown }]);
  });

  it('keeps a flag that is off apart from one that isn’t set', () => {
    const fields = fieldsOf('provider3');
    expect(settingsOf(fields, { conversational: 'false' }).settings).toEqual({ conversational: false });
    expect(settingsOf(fields, { conversational: '' }).settings).toEqual({});
  });
});
