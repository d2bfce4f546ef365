import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openPaths, sealPaths } from './seal-paths.ts';
import { createSecretBox } from './secret-box.ts';

const PATHS = [
  'sharedSecrets.*',
  'callbacks.*.secrets.*',
  'selectedTools.*.authTokens.*',
  'medium.sip.outgoing.password',
  'dataConnection.headers.*',
  'externalVoice.generic.headers.*',
];

const SETTINGS = {
  systemPrompt: 'You are kind.',
  sharedSecrets: ['s1', 's2'],
  callbacks: { joined: { url: 'https://a.test', secrets: ['s3'] }, ended: { url: 'https://b.test' } },
  selectedTools: [
    { toolName: 'hangUp' },
    {
      toolName: 'crm',
      authTokens: { 'api.key': 's4', __other: 's5' },
      parameterOverrides: { secrets: ['x'] },
    },
  ],
  medium: { sip: { outgoing: { to: 'sip:a@b', username: 'u', password: 's6' } } },
  dataConnection: null,
  temperature: 0,
};

function upper(text: string): string {
  return `<${text}>`;
}

describe('sealPaths', () => {
  it('encrypts only the strings at the paths, and does not change the given value', () => {
    const copy = structuredClone(SETTINGS);
    expect(sealPaths(SETTINGS, PATHS, upper)).toEqual({
      ...copy,
      sharedSecrets: ['<s1>', '<s2>'],
      callbacks: { joined: { url: 'https://a.test', secrets: ['<s3>'] }, ended: { url: 'https://b.test' } },
      selectedTools: [
        copy.selectedTools[0],
        { ...copy.selectedTools[1], authTokens: { 'api.key': '<s4>', __other: '<s5>' } },
      ],
      medium: { sip: { outgoing: { ...copy.medium.sip.outgoing, password: '<s6>' } } },
    });
    expect(SETTINGS).toEqual(copy);
  });

  it('encrypts all strings below a path that ends with two stars', () => {
    const value = { a: { b: 'x', c: [{ d: 'y', e: 1 }] }, f: 'z' };
    const sealed = { a: { b: '<x>', c: [{ d: '<y>', e: 1 }] }, f: 'z' };
    expect(sealPaths(value, ['a.**', 'a.b'], upper)).toEqual(sealed);
  });

  it('is reversed by openPaths', () => {
    const box = createSecretBox(['a key of enough characters']);
    const sealed = sealPaths(SETTINGS, PATHS, (plain) => box.seal(plain, 'calls:1'));
    expect(JSON.stringify(sealed)).not.toMatch(/"s\d"/u);
    expect(openPaths(sealed, PATHS, (text) => box.open(text, 'calls:1'))).toEqual(SETTINGS);
  });

  it('encrypts a string once when several paths match it', () => {
    expect(sealPaths({ a: { b: 'x' } }, ['a.b', 'a.*', '*.b'], upper)).toEqual({ a: { b: '<x>' } });
  });

  it('accepts any JSON at the paths, also names of inherited properties', () => {
    const hostile: unknown = JSON.parse('{"a": {"__proto__": "x", "constructor": "y"}, "b": "z"}');
    expect(JSON.stringify(sealPaths(hostile, ['a.*', 'b.*', 'toString.*'], upper))).toBe(
      '{"a":{"__proto__":"<x>","constructor":"<y>"},"b":"z"}',
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(sealPaths(value, ['*', '*.*', '*.*.*'], (text) => text)).toEqual(value);
      }),
    );
  });
});
