import { describe, expect, it } from '@jest/globals';
import { commandLine, errorOf, isSpeakable, parseSettings, plainText } from './wire.ts';

describe('plainText', () => {
  it('leaves nothing that espeak-ng would take as an instruction', () => {
    expect(plainText("say [[h@l'oU]] and [[[x")).toBe("say [ [h@l'oU]] and [ [ [x\n");
    expect(plainText('a\u0001 50s b\u0000c\r\n\n\td\u2028e')).toBe('a 50s b c d e\n');
  });

  it('leaves speech as it is', () => {
    expect(plainText('  Ça va? 你好, <b>5 & 6</b> [one] ')).toBe('Ça va? 你好, <b>5 & 6</b> [one]\n');
  });
});

describe('isSpeakable', () => {
  it.each(['a', '5', 'é!', '你好', 'शुभ'])('%j is', (text) => expect(isSpeakable(text)).toBe(true));
  it.each(['', ' ', '...', '—', '😀', '\n'])('%j is not', (text) => expect(isSpeakable(text)).toBe(false));
});

describe('parseSettings', () => {
  it('takes voices with variants', () => {
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
  ])('refuses %j', (settings) => {
    expect(() => parseSettings(settings)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  });
});

describe('commandLine', () => {
  it('turns the speed into words per minute and holds no text', () => {
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
  ] as const)('%j: %s', (end, kind) => {
    expect(errorOf(end, 'espeak-ng')?.kind).toBe(kind);
  });
});
