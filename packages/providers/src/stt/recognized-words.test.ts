import { expect, it } from '@jest/globals';
import { recognizedWords } from './recognized-words.ts';

it.each([
  '',
  ' .',
  '...',
  '!?',
  '🙂',
  '♪♪',
  '[BLANK_AUDIO]',
  ' (coughs) ',
  '*sighs*.',
  '[Music] (door closes)',
  '（。）',
])('is empty without words: %j', (transcript) => expect(recognizedWords(transcript)).toBe(''));

it.each([' Yes. ', 'I', '7', '你好。', '(555) 010-0199', '[coughs] Hello', 'हाँ', '(555)'])(
  'is the transcript with words: %j',
  (transcript) => expect(recognizedWords(transcript)).toBe(transcript.trim()),
);
