import { describe, expect, it } from '@jest/globals';
import { answerKind, rateParameter, requestBody, valueAt } from './wire.ts';

const URL = 'https://tts.example/speak';

describe('requestBody', () => {
  it('puts the sentence wherever the template says, and into strings only', () => {
    const body = { a: '{text}', b: [{ c: 'say: {text}, {text}' }, 3, null], '{text}': true };
    expect(JSON.parse(requestBody({ url: URL, body }, 'Say "$&" \\ now.', null) ?? '')).toEqual({
      a: 'Say "$&" \\ now.',
      b: [{ c: 'say: Say "$&" \\ now., Say "$&" \\ now.' }, 3, null],
      '{text}': true,
    });
  });

  it('is the text alone without a template, and nothing without a place for it', () => {
    expect(requestBody({ url: URL }, 'Hi.', null)).toBe('{"text":"Hi."}');
    expect(requestBody({ url: URL, body: { input: 'text' } }, 'Hi.', null)).toBeUndefined();
  });
});

describe('a language in the template', () => {
  it("is the call's, or empty, and what is said stays as it is", () => {
    const body = { text: '{text}', lang: '{language}' };
    const asked = (languageHint: string | null): unknown =>
      JSON.parse(requestBody({ url: URL, body }, 'Say {language}.', languageHint) ?? '');
    expect(asked('pt-BR')).toEqual({ text: 'Say {language}.', lang: 'pt-BR' });
    expect(asked(null)).toEqual({ text: 'Say {language}.', lang: '' });
  });
});

describe('answerKind', () => {
  it.each([
    ['audio/wav', 'samples'],
    ['audio/x-wav', 'samples'],
    ['audio/L16; rate=16000', 'samples'],
    ['application/octet-stream', 'samples'],
    ['', 'samples'],
    ['application/json; charset=utf-8', 'json'],
    ['application/problem+json', 'json'],
    ['application/x-ndjson', 'json-lines'],
    ['application/jsonl', 'json-lines'],
    ['audio/mpeg', undefined],
    ['text/html', undefined],
  ])('%s is %s', (mimeType, kind) => {
    expect(answerKind(mimeType)).toBe(kind);
  });
});

it('reads the rate of a content type', () => {
  expect(rateParameter('audio/l16;rate=16000')).toBe(16_000);
  expect(rateParameter('audio/wav')).toBeUndefined();
});

it('finds values by path, in arrays too, and no inherited ones', () => {
  const value = { data: [{ audio: 'x' }] };
  expect(valueAt(value, 'data.0.audio')).toBe('x');
  expect(valueAt(value, 'data.1.audio')).toBeUndefined();
  expect(valueAt(value, 'constructor.name')).toBeUndefined();
});
