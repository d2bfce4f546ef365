import { describe, expect, it } from '@jest/globals';
import { acceptsCall, briefingText } from './briefing.ts';

describe('briefingText', () => {
  it('contains the summary and the question in the language of the call', () => {
    expect(briefingText('Ann asks for a refund', 'key', null)).toBe(
      'Hello, I have a caller for you. Ann asks for a refund. Press 1 to take the call, or 2 to decline.',
    );
    expect(briefingText('Ann möchte Geld zurück.', 'speech', 'de-AT')).toBe(
      'Guten Tag, ich habe einen Anruf für Sie. Ann möchte Geld zurück. Möchten Sie den Anruf annehmen?',
    );
  });
});

describe('acceptsCall', () => {
  it.each([
    ['Yes, put her through.', null, true],
    ['Okay.', 'en-GB', true],
    ['No, not now, okay?', 'en', false],
    ["I can't, sorry.", 'en', false],
    ['Hello? Who is this?', 'en', null],
    ['', null, null],
    ['Ja, gerne!', 'de', true],
    ['Jetzt nicht.', 'de', false],
    ['Não posso.', 'pt-BR', false],
  ])('for %j in language %j returns %j', (words, languageHint, accepts) => {
    expect(acceptsCall(words, languageHint)).toBe(accepts);
  });
});
