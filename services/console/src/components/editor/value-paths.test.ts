import { describe, expect, it } from '@jest/globals';
import { valueAt, withValueAt } from './value-paths.ts';

const TEMPLATE = {
  systemPrompt: 'Be kind.',
  vadSettings: { turnEndpointDelay: '0.5s' },
  inactivityMessages: [
    { duration: '10s', message: 'a' },
    { duration: '20s', message: 'b' },
  ],
};

describe('paths into a value', () => {
  it('read what is there and nothing else', () => {
    expect(valueAt(TEMPLATE, 'vadSettings.turnEndpointDelay')).toBe('0.5s');
    expect(valueAt(TEMPLATE, 'inactivityMessages.1.message')).toBe('b');
    expect(valueAt(TEMPLATE, 'systemPrompt.length')).toBeUndefined();
    expect(valueAt(TEMPLATE, 'medium.webRtc.dataMessages')).toBeUndefined();
  });

  it('change a copy', () => {
    const before = structuredClone(TEMPLATE);
    const after = withValueAt(TEMPLATE, 'inactivityMessages.0.duration', '5s');
    expect(after.inactivityMessages).toEqual([
      { duration: '5s', message: 'a' },
      TEMPLATE.inactivityMessages[1],
    ]);
    expect(after.vadSettings).toBe(TEMPLATE.vadSettings);
    expect(TEMPLATE).toEqual(before);
  });

  it('make what is missing on the way, and take a field away by undefined', () => {
    expect(withValueAt({}, 'firstSpeakerSettings.agent.text', 'Hello')).toEqual({
      firstSpeakerSettings: { agent: { text: 'Hello' } },
    });
    expect(withValueAt(TEMPLATE, 'vadSettings.turnEndpointDelay', undefined).vadSettings).toEqual({});
    expect(withValueAt(TEMPLATE, 'inactivityMessages.0', undefined).inactivityMessages).toEqual([
      TEMPLATE.inactivityMessages[1],
    ]);
  });
});
