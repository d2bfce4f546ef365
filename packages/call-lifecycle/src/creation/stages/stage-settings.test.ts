import { describe, expect, it } from '@jest/globals';
import { resolveSettings } from '../resolve-settings.ts';
import { overridesOf, stageSettings } from './stage-settings.ts';

const call = resolveSettings({
  systemPrompt: 'One.',
  voice: 'Alba',
  voiceOverrides: { provider1: { speed: 1.1 } },
  initialMessages: [{ text: 'x' }],
});
const externalVoice = { provider1: { voiceId: 'v1' } };

describe('stage settings', () => {
  it('combine the settings of the call with the overrides of all stages so far', () => {
    const second = overridesOf(call, {}, { temperature: 0.5, initialMessages: [], selectedTools: [] });
    expect(second).toEqual({ temperature: 0.5 });
    const third = overridesOf(call, second, { systemPrompt: 'Three.' });
    expect(third).toEqual({ temperature: 0.5, systemPrompt: 'Three.' });
    expect(stageSettings(call, third)).toEqual({ ...call, temperature: 0.5, systemPrompt: 'Three.' });
    expect(stageSettings(call, {})).toEqual(call);
  });

  it('replace the voice and its overrides together when a stage names another voice', () => {
    const external = overridesOf(call, {}, { externalVoice });
    const { voice, voiceOverrides, ...rest } = call;
    expect(stageSettings(call, external)).toEqual({ ...rest, externalVoice });
    const named = overridesOf(call, external, { voice: 'Bruno' });
    expect(named).toEqual({ voice: 'Bruno' });
    expect(stageSettings(call, named)).toEqual({ ...rest, voice: 'Bruno' });
    expect([voice, voiceOverrides]).toEqual(['Alba', { provider1: { speed: 1.1 } }]);
  });

  it('retain the current voice when a stage changes only its overrides', () => {
    const style = { provider1: { style: 1 } };
    expect(overridesOf(call, {}, { voiceOverrides: style })).toEqual({
      voice: 'Alba',
      voiceOverrides: style,
    });
    const bruno = overridesOf(call, { voice: 'Bruno' }, { voiceOverrides: style });
    expect(stageSettings(call, bruno)).toMatchObject({ voice: 'Bruno', voiceOverrides: style });
    // Validation rejects this combination later.
    const both = overridesOf(call, { externalVoice }, { voiceOverrides: style });
    expect(both).toEqual({ externalVoice, voiceOverrides: style });
  });
});
