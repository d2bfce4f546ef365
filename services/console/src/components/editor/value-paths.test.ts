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

describe('value paths', () => {
  it('read own fields only', () => {
    expect(valueAt(TEMPLATE, 'vadSettings.turnEndpointDelay')).toBe('0.5s');
    expect(valueAt(TEMPLATE, 'inactivityMessages.1.message')).toBe('b');
    expect(valueAt(TEMPLATE, 'systemPrompt.length')).toBeUndefined();
    expect(valueAt(TEMPLATE, 'medium.webRtc.dataMessages')).toBeUndefined();
  });

  it('change a copy of the value', () => {
    const before = structuredClone(TEMPLATE);
    const after = withValueAt(TEMPLATE, 'inactivityMessages.0.duration', '5s');
    expect(after.inactivityMessages).toEqual([
      { duration: '5s', message: 'a' },
      TEMPLATE.inactivityMessages[1],
    ]);
    expect(after.vadSettings).toBe(TEMPLATE.vadSettings);
    expect(TEMPLATE).toEqual(before);
  });

  it('create missing objects along the path, and remove a field when its new value is undefined', () => {
    expect(withValueAt({}, 'firstSpeakerSettings.agent.text', 'Hello')).toEqual({
      firstSpeakerSettings: { agent: { text: 'Hello' } },
    });
    expect(withValueAt(TEMPLATE, 'vadSettings.turnEndpointDelay', undefined).vadSettings).toEqual({});
    expect(withValueAt(TEMPLATE, 'inactivityMessages.0', undefined).inactivityMessages).toEqual([
      TEMPLATE.inactivityMessages[1],
    ]);
  });
});
