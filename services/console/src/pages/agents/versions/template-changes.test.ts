import { describe, expect, it } from '@jest/globals';
import { inWords, templateChanges } from './template-changes.ts';

const tool = (modelToolName: string, timeout: string) => ({ temporaryTool: { modelToolName, timeout } });
const shortly = (before: object, after: object) =>
  templateChanges({ ...before }, { ...after }).map(
    ({ path, kind, before: was, after: is }) =>
      `${path.join('.')} ${kind} ${JSON.stringify(was)} ${JSON.stringify(is)}`,
  );

describe('templateChanges', () => {
  it('returns no changes for equal templates, whatever the order of fields', () => {
    expect(shortly({}, {})).toEqual([]);
    expect(shortly({ a: 1, b: { c: [1, { d: null }] } }, { b: { c: [1, { d: null }] }, a: 1 })).toEqual([]);
  });

  it('lists changes field by field, at every depth where both values are objects', () => {
    const before = {
      model: 'a',
      temperature: 0,
      vadSettings: { turnEndpointDelay: '1s', x: 1 },
      gone: false,
    };
    const after = {
      temperature: 0.5,
      vadSettings: { turnEndpointDelay: '2s', x: 1 },
      voice: 'Alba',
      model: 'a',
    };
    expect(shortly(before, after)).toEqual([
      'gone removed false undefined',
      'temperature changed 0 0.5',
      'vadSettings.turnEndpointDelay changed "1s" "2s"',
      'voice added undefined "Alba"',
    ]);
  });

  it('reports a value as changed as a whole when its type changes, or when it is a plain list', () => {
    expect(shortly({ a: { b: 1 } }, { a: [1] })).toEqual(['a changed {"b":1} [1]']);
    expect(shortly({ a: null }, { a: 0 })).toEqual(['a changed null 0']);
    expect(shortly({ medium: { webRtc: {} } }, { medium: { sip: {} } })).toEqual([
      'medium.sip added undefined {}',
      'medium.webRtc removed {} undefined',
    ]);
    expect(shortly({ allowed: ['a', 'b'] }, { allowed: ['b'] })).toEqual(['allowed changed ["a","b"] ["b"]']);
  });

  it('compares tools by their names, whatever their positions', () => {
    const before = { selectedTools: [tool('one', '1s'), { toolName: 'hangUp' }] };
    const after = { selectedTools: [{ toolName: 'hangUp' }, tool('two', '1s'), tool('one', '2s')] };
    expect(shortly(before, after)).toEqual([
      'selectedTools.two added undefined {"temporaryTool":{"modelToolName":"two","timeout":"1s"}}',
      'selectedTools.one.temporaryTool.timeout changed "1s" "2s"',
    ]);
  });

  it('reports a changed order of tools', () => {
    const [a, b] = [tool('a', '1s'), tool('b', '1s')];
    expect(shortly({ selectedTools: [a, b] }, { selectedTools: [b, a] })).toEqual([
      'selectedTools changed ["a","b"] ["b","a"]',
    ]);
  });

  it('numbers list items that have no unique name', () => {
    const message = (text: string) => ({ duration: '5s', message: text });
    const before = { inactivityMessages: [message('a'), message('b'), message('c')] };
    const after = { inactivityMessages: [message('a'), message('x')] };
    expect(shortly(before, after)).toEqual([
      'inactivityMessages.2.message changed "b" "x"',
      'inactivityMessages.3 removed {"duration":"5s","message":"c"} undefined',
    ]);
    expect(shortly({ l: [{ name: 'a' }, { name: 'a' }] }, { l: [{ name: 'a' }] })).toEqual([
      'l.2 removed {"name":"a"} undefined',
    ]);
  });
});

it.each([
  ['systemPrompt', 'System prompt'],
  ['voice', 'Voice'],
  ['firstSpeakerSettings', 'First speaker settings'],
])('inWords turns %s into %s', (name, words) => {
  expect(inWords(name)).toBe(words);
});
