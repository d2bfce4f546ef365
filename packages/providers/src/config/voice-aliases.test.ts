import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { espeakVoices } from '../tts/espeak-ng/voices.ts';
import { readVoiceAliases } from './voice-aliases.ts';

describe('readVoiceAliases', () => {
  it('maps every default to a voice of the embedded catalogue', () => {
    const names = new Set(espeakVoices.map(({ name }) => name));
    const aliases = readVoiceAliases(new EnvReader({}));
    expect([...aliases.keys()]).toEqual(expect.arrayContaining(['Mark', 'Jessica', 'Sarah', 'Shaun']));
    expect([...aliases.values()].filter((voice) => !names.has(voice))).toEqual([]);
  });

  it('adds, changes and removes names', () => {
    const env = new EnvReader({ VOICE_ALIASES: '{"Mark":"Alba","Ravi":"Bruno","Shaun":null}' });
    const aliases = readVoiceAliases(env);
    env.finish();
    expect([aliases.get('Mark'), aliases.get('Ravi'), aliases.has('Shaun'), aliases.has('Jessica')]).toEqual([
      'Alba',
      'Bruno',
      false,
      true,
    ]);
  });

  it.each(['Mark=Alba', '[]', '{"Mark":1}', '{"Mark":""}'])('reports %s as an issue', (value) => {
    const env = new EnvReader({ VOICE_ALIASES: value });
    readVoiceAliases(env);
    expect(() => env.finish()).toThrow('VOICE_ALIASES must be a JSON object');
  });
});
