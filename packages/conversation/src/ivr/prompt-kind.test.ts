import { describe, expect, it } from '@jest/globals';
import { promptKind, saysOption } from './prompt-kind.ts';

describe('promptKind', () => {
  it.each([
    ['For sales, press 1. For service, press 2.', 'menu'],
    ['Drücken Sie die Eins', 'menu'],
    ['Please hold while I connect you', 'menu'],
    ['That is not a valid choice', 'menu'],
    ['Hello. For English, press one', 'menu'],
    ['How can I help you today? You can say things like billing', 'menu'],
    ['Please hold. Thank you for waiting, this is Bob, how can I help you?', 'person'],
    ['Hello?', 'person'],
    ['Hi, Bob speaking.', 'person'],
    ['Who is calling?', 'person'],
    ['Hello and welcome to the Acme corporation of Ohio', null],
    ['Yes, that is right.', null],
    ['', null],
  ])('classifies "%s" as %s', (text, kind) => {
    expect(promptKind(text)).toBe(kind);
  });
});

describe('saysOption', () => {
  it('matches whole words regardless of case and accents', () => {
    expect(saysOption('For BILLING, press two', ['billing'])).toBe(true);
    expect(saysOption('Pour la réservation', ['la reservation'])).toBe(true);
    expect(saysOption('For bill payments', ['billing', '?'])).toBe(false);
    expect(saysOption('For billing', [])).toBe(false);
  });
});
