import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Sentence } from './sentence-builder.ts';
import { SentenceSplitter } from './sentence-splitter.ts';

function pieces(parts: readonly string[]): Sentence[] {
  const splitter = new SentenceSplitter();
  return [...parts.flatMap((part) => [...splitter.push(part)]), ...splitter.flush()];
}

/** Checks the sentences of the text, pushed as a whole and character by character. */
function expectSentences(text: string, sentences: string[]): void {
  expect(pieces([text]).map(({ spoken }) => spoken)).toEqual(sentences);
  expect(pieces(text.split('')).map(({ spoken }) => spoken)).toEqual(sentences);
}

/** ` | ` marks an expected sentence end. */
const SPACED: Record<string, string[]> = {
  en: [
    'Hello there. | How are you?',
    'It costs 3.14 euros, or 1,000.50 dollars, at 10:30 with v0.7. | Fine?',
    'Dr. Smith lives on St. James St. near here. | Yes!',
    'Mr. and Mrs. Jones, e.g. today, i.e. now, vs. Mr. Fox. | Good.',
    'J. S. Bach and J.R.R. Tolkien. | Listen.',
    'Take No. 5 and no. 6. | No. | I mean it.',
    'At 5 p.m. we close. | At 5 a.m. | We open then.',
    'The U.S. Army came. | So do I. | Well.',
    'Apples, pears, etc. are here. | And etc. | More.',
    'See www.example.com/a.html?b=1 or https://x.org/~me/_a_b_.php. | Bye.',
    'Write to jane.doe@mail.example.com. | Open report.v2.pdf now. | Done.',
    'He said "stop." | Then left. | "Really?" she asked. | (It is.) | Yes (no!) indeed.',
    'Well... maybe. | Wait... | What? | Really?! | Yes!!',
    'Gen. Lee met a rep. | They talked. | On Jan. 5 we met at 5 ft. above.',
  ],
  de: [
    'Das ist z. B. gut, z.B. hier, d. h. jetzt. | Oder?',
    'Am 3. Mai und vom 12. Juni kommt Hr. Maier. | Gut.',
    'Es kostet 1.000,50 Euro bzw. mehr usw. | Das ist Hauptstr. 5, Nr. 7. | Ja.',
    '„Hallo.“ | Dann ging er. | „Wirklich?“, fragte sie.',
    'Prof. Dr. med. Weber u. a. i. d. R. um 10.30 Uhr. | Ja!',
  ],
  fr: [
    'M. Dupont et Mme. Martin sont là. | Bonjour ! | Ça va ?',
    '« Bonjour ! » dit-il. | « Oui. » | Voilà.',
    'Voir p. ex. la page p. 5, etc. | C’est tout. | C’est ce que c’est. | Donc oui.',
    'J.-C. Killy vit av. Foch. | Il y a. | Bien.',
  ],
  es: [
    '¿Cómo está? | ¡Muy bien! | Gracias.',
    'El Sr. Ruiz y la Dra. Gil, p. ej. hoy, en EE. UU. por la pág. 5. | Sí.',
    'A las 5 p. m. llega Ud. con 3,5 kg. | Bien.',
  ],
  it: ['Il Sig. Rossi e il Dott. Bianchi, ad es. oggi, ecc. | Va bene. | Costa 3,50 euro a pag. 5. | Sì!'],
  pt: ['O Sr. Silva e a Dra. Lima, p. ex. hoje, na av. Central, n.º 5. | Tudo bem? | Sim.'],
  nl: ['Dhr. Jansen en mevr. de Vries, bijv. vandaag, d.w.z. nu, enz. | Goed. | Het is nr. 5. | Ja!'],
  pl: ['Np. dr Nowak, ul. Długa 5, tzn. tu, m.in. dziś, itd. | Dobrze. | Prof. Lis ma 3,5 kg. | Tak?'],
  hi: ['नमस्ते। | डॉ. शर्मा यहाँ हैं। | आप कैसे हैं? | कीमत 3.14 है।'],
  ar: ['مرحبا. | كيف حالك؟ | د. أحمد هنا. | السعر 3.14 دولار!'],
  ru: ['Привет. | А. С. Пушкин писал. | Как дела?'],
};

/** `|` marks an expected sentence end without a space. */
const UNSPACED: Record<string, string[]> = {
  zh: [
    '你好。|你今天怎么样？|很好！！|价格是3.14元，网址是www.a.cn。|他说：“好。”|然后走了。',
    '你好吗?|我很好!|是……吧。',
  ],
  ja: ['こんにちは。|元気ですか？|「はい。」と言った。|v0.7です！|（そうだ。）|では。'],
};

function cases(table: Record<string, string[]>): [string, string][] {
  return Object.entries(table).flatMap(([language, texts]) =>
    texts.map((text): [string, string] => [language, text]),
  );
}

describe('SentenceSplitter sentence boundaries', () => {
  it.each(cases(SPACED))('splits text with spaces in %s: %s', (_language, marked) => {
    expectSentences(marked.replaceAll(' | ', ' '), marked.split(' | '));
  });

  it.each(cases(UNSPACED))('splits text without spaces in %s: %s', (_language, marked) => {
    expectSentences(marked.replaceAll('|', ''), marked.split('|'));
  });

  it.each([
    ['Hello there. ', 1],
    ['Really? ', 1],
    ['你好。你', 1],
    ['One line\n\n', 1],
    ['See example.', 0],
    ['No. ', 0],
    ['No. I', 1],
    ['Etc. a', 0],
  ])('after %j has yielded %d sentences', (text, count) => {
    expect(new SentenceSplitter().push(text)).toHaveLength(count);
  });

  it.each<[string, string | null]>([
    ['Hello there.', 'Hello there.'],
    ['Hello!', 'Hello!'],
    ['Really?!', 'Really?!'],
    ['**Yes.**', 'Yes.'],
    ['你好。', '你好。'],
    ['I paid 100.', 'I paid 100.'],
    ...['Hello', '', '.', 'It costs 3.', 'On the 12.', 'Dr.', 'At 5 p.m.', 'No.', 'J.'].map(
      (text): [string, null] => [text, null],
    ),
    ...['Well...', 'He said "stop."', '« Oui.', 'See http://x.org.', 'Use `a.', 'Hello. '].map(
      (text): [string, null] => [text, null],
    ),
  ])('after %j returns %j as the likely sentence', (text, spoken) => {
    const splitter = new SentenceSplitter();
    splitter.push(text);
    expect(splitter.likely()?.spoken ?? null).toBe(spoken);
  });

  it('splits long sentences at clauses, otherwise at spaces, otherwise anywhere', () => {
    const clauses = `${'some words that go on and on, '.repeat(30)}end`;
    const spoken = pieces([clauses]).map((piece) => piece.spoken);
    expect(spoken.length).toBeGreaterThan(3);
    expect(spoken.slice(0, -1).every((text) => text.endsWith(',') && text.length <= 240)).toBe(true);
    expect(spoken.join(' ')).toBe(clauses);
    expect(
      pieces(['word '.repeat(500)])
        .map(({ spoken: text }) => text)
        .join(' '),
    ).toBe('word '.repeat(500).trim());
    const endless = pieces(['字'.repeat(1000)]).map((piece) => piece.spoken);
    expect(Math.max(...endless.map(({ length }) => length))).toBeLessThanOrEqual(81);
    expect(endless.join('')).toBe('字'.repeat(1000));
  });
});

describe('SentenceSplitter with endless input', () => {
  it.each(['.', ')', '-', '*', '`', '|', '[', '<', '#', '«', '\u0301', '\u200D', '🎉', '9', '\\'])(
    'limits the sentence length in a row of %j',
    (mark) => {
      const row = pieces([`Word.${mark.repeat(3000)}`, ' End.\n\nLast.']);
      expect(Math.max(...row.map(({ spoken }) => spoken.length))).toBeLessThanOrEqual(480);
      expect(row.map(({ spoken }) => spoken).at(-1)).toMatch(/Last\.$/u);
    },
  );
});

describe('SentenceSplitter output', () => {
  it.each<[string, string[]]>([
    [
      '## **Big** news 🎉: see [our page](http://x.y/z_(a)) and `code`.',
      ['Big news: see our page and code.'],
    ],
    ['# Title\nThe *first* and __second__ ~~old~~ words.', ['Title', 'The first and second old words.']],
    [
      'Buy:\n- milk\n* eggs\n  + bread\n1. Go home\n2) Eat',
      ['Buy:', 'milk', 'eggs', 'bread', '1. Go home', '2) Eat'],
    ],
    ['- [ ] open\n- [x] done', ['open', 'done']],
    ['> Quoted words.\n> More.\n\n---\n***\nEnd', ['Quoted words.', 'More.', 'End']],
    ['| Tea | Price |\n|:---|---:|\n| Green | 3.50 |\n', ['Tea, Price', 'Green, 3.50']],
    ['a | b\n--- | ---\n1 | 2', ['a, b', '1, 2']],
    ['Run this:\n```js\nconst a = 1. Then\n```\nDone.', ['Run this:', 'Done.']],
    ['~~~\ncode', []],
    [
      'Press <kbd>Enter</kbd>.<br>Then <a href="x">go</a>! 3 < 5 and <me@x.org>.',
      ['Press Enter.', 'Then go!', '3 < 5 and me@x.org.'],
    ],
    [
      '5 * 3 is 15, 2*3 is 6, and snake_case stays, as \\*stars\\*.',
      ['5 × 3 is 15, 2×3 is 6, and snake_case stays, as *stars*.'],
    ],
    ['Great 🎉! It is true [1], as ![a cat](c.png) shows[^2].', ['Great!', 'It is true, as a cat shows.']],
    [
      '<speak><mstts:express-as style="sad">Well</mstts:express-as>, <my_tag>hi</my_tag>, see <http://x.y/z>.</speak>',
      ['Well, hi, see http://x.y/z.'],
    ],
    ['🙂', []],
    ['👨‍👩‍👧 🇩🇪 👍🏽 ❤️ ✅ ★', []],
    ['... !!', []],
    ['', []],
    ['1️⃣ First 👋🏻 here', ['1 First here']],
    ['It is **very.** Yes: *now*.', ['It is very.', 'Yes: now.']],
    ['This line\ngoes on. First line\nSecond line', ['This line goes on.', 'First line', 'Second line']],
    ['क्‍ष है।', ['क्‍ष है।']],
    ['-5 degrees, #5, +49 30 and ~7 & 8 %.', ['-5 degrees, #5, +49 30 and ~7 & 8 %.']],
  ])('converts %j to speakable sentences', (text, expected) => {
    expectSentences(text, expected);
  });

  it('shows text with its line breaks and without markup or emoji', () => {
    expect(
      pieces(['**Hi** 🙂 there. Buy:\n- milk\n- eggs\n\n你好。再见。'])
        .map(({ shown }) => shown)
        .join(''),
    ).toBe('Hi there. Buy:\nmilk\neggs\n你好。再见。');
  });
});

const fragment = fc.constantFrom(
  ...[
    'Dr. ',
    'z. B. ',
    '3.14',
    ' ',
    '. ',
    '.',
    '…',
    '"',
    '«',
    '»',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '# ',
    '**',
    '_',
    '`',
  ],
  ...[
    '```',
    '|',
    '---',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '!',
    '?',
    '。',
    '」',
    'と',
    '字',
    'word',
    'Word',
    'http://a.b/_c_',
  ],
  ...['🎉', '👨‍👩‍👧', '\u200D', '\\', '~', '*', ', ', 'é', 'م', '؟', '।', '[x]', '<br>', '> ', '\t', '‼'],
);
const text = fc.oneof(
  fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 400 }),
);

describe('SentenceSplitter with random text', () => {
  it('removes pictographs from text that only looks like a tag', () => {
    expect(pieces(['<word👨‍👩‍👧 and 🎉 more']).map(({ spoken }) => spoken)).toEqual(['<word and more']);
  });

  it('yields the same sentences however the input is split into chunks', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 400 }), { maxLength: 20 }), (whole, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
        const parts = at.slice(1).map((end, i) => whole.slice(at[i], end));
        expect(pieces(parts)).toEqual(pieces([whole]));
        expect(pieces(whole.split(''))).toEqual(pieces([whole]));
      }),
      { numRuns: 1000 },
    );
  });

  it('yields the same sentences when the likely sentence is read in between', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const splitter = new SentenceSplitter();
        const sentences = whole.split('').flatMap((char) => {
          const complete = splitter.push(char);
          splitter.likely();
          return [...complete];
        });
        expect([...sentences, ...splitter.flush()]).toEqual(pieces([whole]));
      }),
      { numRuns: 300 },
    );
  });

  it('yields bounded, speakable sentences that match the shown text', () => {
    fc.assert(
      fc.property(text, (whole) => {
        for (const { shown, spoken } of pieces([whole])) {
          expect(spoken).toMatch(/[\p{L}\p{N}]/u);
          expect(spoken).not.toMatch(/\n|\uFE0F|\p{Emoji_Presentation}|^\s|\s$| {2}/u);
          expect(shown.trimStart()).toBe(spoken);
          expect(spoken.length).toBeLessThanOrEqual(480);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
