import { describe, expect, it } from '@jest/globals';
import { GREETING_PHRASES } from './greeting-phrases.ts';
import { greetingKind } from './greeting-kind.ts';

describe('greetingKind', () => {
  it.each([
    ["Hi, you've reached Sam. Leave a message after the beep.", 'machine'],
    ['Guten Tag, der Teilnehmer ist zurzeit NICHT ERREICHBAR', 'machine'],
    ['Por favor, deje su mensaje después del tono', 'machine'],
    ['Laissez-moi un message après le signal sonore', 'machine'],
    ['Lasciate un messaggio dopo il segnale acustico', 'machine'],
    ['Абонент недоступен. Оставьте сообщение после сигнала', 'machine'],
    ['For sales, press 1. For service, press 2.', 'ivr'],
    ['Für Deutsch drücken Sie die Eins', 'ivr'],
    ['Press 1 to leave a message', 'machine'],
    // The end of a voicemail greeting whose first sentence was not recognized.
    ['When done, hang up, or press the pound key.', 'machine'],
    ['When you have finished recording, you may hang up or press 1 for more options.', 'machine'],
    ['To repeat these options, press star, or hang up.', 'ivr'],
    ['You have reached Acme.', 'reached'],
    ['You have reached Acme. For sales, press one.', 'ivr'],
    ["Please say your name and why you're calling", 'screening'],
    ["If you record your name and reason for calling, I'll see if this person is available", 'screening'],
    ['Who is calling, please?', 'whoIsCalling'],
    ['Acme Corporation, how may I help you?', 'human'],
    ['Hello?', null],
    ['Yes, speaking. I can hear you well.', null],
    ['', null],
  ])('classifies "%s" as %s', (text, kind) => {
    expect(greetingKind(text)).toBe(kind);
  });

  it('returns a kind for every phrase of its lists', () => {
    const missed = Object.values(GREETING_PHRASES).flatMap((phrases) =>
      Object.values(phrases).flatMap((list: string) =>
        list.split(',').filter((phrase) => greetingKind(`well, ${phrase.toUpperCase()}!`) === null),
      ),
    );
    expect(missed).toEqual([]);
  });

  it('ignores phrases in the middle of a word', () => {
    expect(greetingKind('an impressive one, voicemailed')).toBeNull();
  });
});
