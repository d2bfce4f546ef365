import { describe, expect, it } from '@jest/globals';
import { fieldsOf } from './voice-options.ts';
import { settingsOf, valuesOf } from './voice-values.ts';

describe('voice settings', () => {
  it('are parsed by type from the form, and convert back to the same form values', () => {
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

  it('parse the headers of a generic endpoint from lines and its body from JSON', () => {
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
  ] as const)('reject the %s %p', (path, text, provider, message) => {
    const { settings, issues } = settingsOf(fieldsOf(provider), { [path]: text });
    expect(settings).toEqual({});
    expect(issues).toEqual([{ path, message: expect.stringContaining(message) as unknown }]);
  });

  it('distinguish a flag set to false from an unset flag', () => {
    const fields = fieldsOf('provider3');
    expect(settingsOf(fields, { conversational: 'false' }).settings).toEqual({ conversational: false });
    expect(settingsOf(fields, { conversational: '' }).settings).toEqual({});
  });
});
