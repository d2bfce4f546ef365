import { describe, expect, it } from '@jest/globals';
import { unfinishedWaitMs } from './unfinished-words.ts';
import { SENTENCE_WORDS } from './sentence-lists.ts';

describe('unfinishedWaitMs', () => {
  it.each([
    [null, 'yes please'],
    [null, 'Yes, please.'],
    [null, 'what are you looking for'],
    [null, 'come in'],
    [null, 'I have 3'],
    [null, 'it was in 1985'],
    [null, 'my number is five five five one two three four'],
    [null, '020 7946 0958'],
    [null, 'it is'],
    [null, 'Are you sure and?'],
    [null, 'no'],
    [null, 'a'],
    ['de-DE', 'ich nehme das'],
    ['fr', 'Oui.'],
    ['es-MX', 'así es'],
    ['ja', 'はい'],
    ['xx', 'and'],
  ])('returns 0 for language %s and text "%s"', (language, text) => {
    expect(unfinishedWaitMs(text, language)).toBe(0);
  });

  it.each([
    [null, 'I would like to book a table and'],
    [null, 'I would like to book a table for the'],
    [null, 'I wanted to ask um'],
    [null, 'my number is'],
    [null, 'My number is.'],
    [null, "well I'd like to"],
    ['de', 'ich hätte gern'],
    ['de', 'Ich möchte einen Tisch und'],
    ['es', 'quisiera una mesa porque'],
    ['fr', 'Je voudrais réserver parce que'],
    ['it', 'vorrei un tavolo e'],
    ['pt-BR', 'meu número é'],
    ['nl', 'ik wil morgen komen maar'],
    ['pl', 'chciałbym zarezerwować stolik i'],
    ['sv', 'jag skulle vilja'],
    ['da', 'jeg vil gerne'],
    ['no', 'jeg kommer i morgen og'],
    ['ru', 'я хочу заказать столик и'],
    ['tr', 'yarın gelirim ama'],
    ['fi', 'haluaisin varata pöydän ja'],
    ['cs', 'chtěl bych objednat stůl a'],
    ['uk', 'я хочу замовити столик і'],
  ])('returns the longest wait for language %s and text "%s"', (language, text) => {
    expect(unfinishedWaitMs(text, language)).toBe(1200);
  });

  it.each([
    [null, 'my number is five five five', 1000],
    [null, '555 12', 1000],
    ['de', 'null eins sieben', 1000],
    ['fr', 'zéro six douze', 0],
    [null, 'On Monday,', 640],
    [null, 'and then…', 640],
    [null, 'I would like to talk to', 640],
    [null, 'well there are', 640],
    [null, 'how much do you have', 0],
    ['cs', 'tři čtyři pět', 1000],
    ['it', 'attualmente ci sono', 640],
    ['xx', 'abc,', 640],
  ])('for language %s and text "%s" returns %d ms', (language, text, waitMs) => {
    expect(unfinishedWaitMs(text, language)).toBe(waitMs);
  });

  it('returns the longest wait for every listed word that cannot end a sentence', () => {
    expect(Object.keys(SENTENCE_WORDS).length).toBeGreaterThanOrEqual(10);
    for (const [language, lists] of Object.entries(SENTENCE_WORDS)) {
      for (const word of lists.open.split(', ')) expect(unfinishedWaitMs(`xyz ${word}`, language)).toBe(1200);
      expect(lists.digits.split(', ').length).toBeGreaterThanOrEqual(10);
    }
  });
});
