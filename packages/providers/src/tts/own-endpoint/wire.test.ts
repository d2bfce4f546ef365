import { describe, expect, it } from '@jest/globals';
import { responseKindOf, rateParameter, requestBody, valueAt } from './wire.ts';

const URL = 'https://tts.example/speak';

describe('requestBody', () => {
  it('replaces {text} with the sentence in every string of the template, but not in keys', () => {
    const body = { a: '{text}', b: [{ c: 'say: {text}, {text}' }, 3, null], '{text}': true };
    expect(JSON.parse(requestBody({ url: URL, body }, 'Say "$&" \\ now.', null) ?? '')).toEqual({
      a: 'Say "$&" \\ now.',
      b: [{ c: 'say: Say "$&" \\ now., Say "$&" \\ now.' }, 3, null],
      '{text}': true,
    });
  });

  it('contains only the text without a template, and is undefined for a template without {text}', () => {
    expect(requestBody({ url: URL }, 'Hi.', null)).toBe('{"text":"Hi."}');
    expect(requestBody({ url: URL, body: { input: 'text' } }, 'Hi.', null)).toBeUndefined();
  });
});

describe('{language} in the template of requestBody', () => {
  it('is replaced by the language of the call or an empty string, but not inside the sentence', () => {
    const body = { text: '{text}', lang: '{language}' };
    const asked = (languageHint: string | null): unknown =>
      JSON.parse(requestBody({ url: URL, body }, 'Say {language}.', languageHint) ?? '');
    expect(asked('pt-BR')).toEqual({ text: 'Say {language}.', lang: 'pt-BR' });
    expect(asked(null)).toEqual({ text: 'Say {language}.', lang: '' });
  });
});

describe('responseKindOf', () => {
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
  ])('maps the MIME type %s to %s', (mimeType, kind) => {
    expect(responseKindOf(mimeType)).toBe(kind);
  });
});

it('rateParameter reads the sample rate of a content type', () => {
  expect(rateParameter('audio/l16;rate=16000')).toBe(16_000);
  expect(rateParameter('audio/wav')).toBeUndefined();
});

it('valueAt finds values by path, also in arrays, but no inherited properties', () => {
  const value = { data: [{ audio: 'x' }] };
  expect(valueAt(value, 'data.0.audio')).toBe('x');
  expect(valueAt(value, 'data.1.audio')).toBeUndefined();
  expect(valueAt(value, 'constructor.name')).toBeUndefined();
});
