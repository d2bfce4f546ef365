import { describe, expect, it } from '@jest/globals';
import { commandLine, errorOf, isSpeakable, parseSettings, plainText } from './wire.ts';

describe('plainText', () => {
  it('removes everything that espeak-ng would treat as an instruction', () => {
    expect(plainText("say [[h@l'oU]] and [[[x")).toBe("say [ [h@l'oU]] and [ [ [x\n");
    expect(plainText('a\u0001 50s b\u0000c\r\n\n\td\u2028e')).toBe('a 50s b c d e\n');
  });

  it('does not change ordinary text', () => {
    expect(plainText('  Ça va? 你好, <b>5 & 6</b> [one] ')).toBe('Ça va? 你好, <b>5 & 6</b> [one]\n');
  });
});

describe('isSpeakable', () => {
  it.each(['a', '5', 'é!', '你好', 'शुभ'])('returns true for %j', (text) =>
    expect(isSpeakable(text)).toBe(true),
  );
  it.each(['', ' ', '...', '—', '😀', '\n'])('returns false for %j', (text) =>
    expect(isSpeakable(text)).toBe(false),
  );
});

describe('parseSettings', () => {
  it('accepts voices with variants', () => {
    const settings = { voice: 'en-us+f3', speed: 1.2, pitch: 60 };
    expect(parseSettings(settings)).toEqual(settings);
  });

  it.each([
    {},
    { voice: '-w/tmp/x' },
    { voice: '../../etc/passwd' },
    { voice: 'en us' },
    { voice: 'en-us\n' },
    { voice: 'en', speed: 0 },
    { voice: 'en', pitch: 1000 },
    { voice: 'en', ssml: true },
    null,
    'en',
  ])('rejects %j', (settings) => {
    expect(() => parseSettings(settings)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  });
});

describe('commandLine', () => {
  it('converts the speed to words per minute, and contains no text', () => {
    expect(commandLine({ voice: 'de+f3', speed: 0.8 }).join(' ')).toBe(
      '-v de+f3 -s 140 -p 50 -b 1 -z --stdin --stdout',
    );
  });
});

describe('errorOf', () => {
  const exited = { kind: 'exited', signal: null, stderr: '' } as const;

  it.each([
    [{ ...exited, code: 0 }, undefined],
    [{ ...exited, code: 1, stderr: 'Error: The specified espeak-ng voice does not exist.' }, 'unavailable'],
    [{ ...exited, code: 1 }, 'cut'],
    [{ ...exited, code: null, signal: 'SIGKILL' }, 'cut'],
    [{ kind: 'not_started', code: 'ENOENT' }, 'unavailable'],
    [{ kind: 'host_lost' }, 'cut'],
  ] as const)('maps the end of the process %j to the error kind %s', (end, kind) => {
    expect(errorOf(end, 'espeak-ng')?.kind).toBe(kind);
  });
});
