import { expect, it } from '@jest/globals';
import { audioTypeOf } from './sample-audio.ts';

it.each([
  ['wav', 'RIFF\u0000\u0001\u0002\u0003WAVEfmt '],
  ['flac', 'fLaC\u0000'],
  ['ogg', 'OggS\u0000'],
  ['m4a', '\u0000\u0000\u0000\u0020ftypM4A '],
  ['webm', '\u001a\u0045\u00df\u00a3\u0001'],
  ['mp3', 'ID3\u0004'],
  ['mp3', '\u00ff\u00fb\u0090'],
  ['mp3', '\u00ff\u00f3\u0090'],
])('audioTypeOf recognizes %s audio', (extension, start) => {
  expect(audioTypeOf(Buffer.from(start, 'latin1'))?.extension).toBe(extension);
});

it.each(['', 'R', 'RIFF\u0000\u0000\u0000\u0000AVI ', '{"a":1}', '\u00ff\u00d8\u00ff', '\u00ff'])(
  'audioTypeOf returns null for other files: %j',
  (start) => {
    expect(audioTypeOf(Buffer.from(start, 'latin1'))).toBeNull();
  },
);
