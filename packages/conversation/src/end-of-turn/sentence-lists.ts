/**
 * Words of a language that indicate an unfinished sentence. Lists are separated by commas; a phrase may have
 * several words.
 */
export interface SentenceWords {
  /** Words that never end a sentence: conjunctions, articles, possessives. */
  open: string;
  /** Words that rarely end a sentence: prepositions, auxiliaries. */
  leaning: string;
  /** Filler words. */
  fillers: string;
  /** First words of questions, which may end with a leaning word ("what are you looking for"). */
  questions: string;
  /** Phrases that announce digits or a name ("my number is"). */
  promises: string;
  /** The digits 0 to 9. */
  digits: string;
}

/** By primary language subtag. */
export const SENTENCE_WORDS: Readonly<Record<string, SentenceWords>> = {
  en: {
    open: "and, but, or, because, the, a, an, my, your, our, their, if, although, unless, whether, than, i'm, it's, we're, i'd, i'd like, i'd like to, i want to, i need to, would like, such as, as well as",
    leaning:
      "for, to, with, from, at, of, into, can you, could you, i need, i want, i have, we have, i've got, there is, there are, there's, very, only, about",
    fillers: 'um, uh, uhm, erm, er, hmm, let me see, let me think',
    questions: 'what, who, whom, whose, which, where, when, how, why, that',
    promises: 'number is, phone is, code is, call me at, call me on, address is, email is, name is, zip is',
    digits: 'zero, oh, one, two, three, four, five, six, seven, eight, nine',
  },
  de: {
    open: 'und, aber, oder, weil, dass, wenn, ob, ein, eine, einen, einem, mein, meine, meinen, meinem, unser, unsere, sondern, obwohl, damit, ich möchte, ich hätte gern',
    leaning:
      'für, mit, von, zu, zum, zur, bei, nach, über, im, in, den, dem, der, ich brauche, ich habe, wir haben, es gibt, sehr, nur, ungefähr, etwa',
    fillers: 'äh, ähm, öh, hm',
    questions: 'was, wer, wen, wem, wo, wohin, woher, wann, wie, warum, worauf, womit, wofür',
    promises: 'nummer ist, nummer lautet, code ist, adresse ist, name ist, postleitzahl ist',
    digits: 'null, eins, zwei, zwo, drei, vier, fünf, sechs, sieben, acht, neun',
  },
  es: {
    open: 'y, e, o, pero, porque, aunque, el, la, los, las, un, mi, tu, su, nuestro, nuestra, del, al, quiero, quisiera, me gustaría',
    leaning: 'de, en, con, por, para, a, que, una, sobre, necesito, tengo, tiene, hay, muy, casi, unos, unas',
    fillers: 'eh, em, mmm, a ver, o sea',
    questions: 'qué, quién, cuál, dónde, cuándo, cómo',
    promises: 'número es, teléfono es, código es, dirección es, nombre es',
    digits: 'cero, uno, dos, tres, cuatro, cinco, seis, siete, ocho, nueve',
  },
  fr: {
    open: "et, mais, ou, parce que, car, des, mon, ma, mes, votre, notre, du, au, aux, que, l', d', qu', je voudrais, j'aimerais, c'est",
    leaning:
      "de, à, en, avec, dans, sur, chez, le, la, les, un, une, je veux, j'ai, vous avez, il y a, très, environ, je suis",
    fillers: 'euh, heu, ben, bah',
    questions: 'qui, quoi, où, quand, comment, pourquoi, combien',
    promises: "numéro est, numéro est le, numéro c'est le, code est, adresse est, nom est",
    digits: 'zéro, un, deux, trois, quatre, cinq, six, sept, huit, neuf',
  },
  it: {
    open: "e, ed, ma, o, oppure, perché, se, il, lo, la, i, gli, le, un, mio, mia, del, della, al, alla, nel, nella, l', un', vorrei, che",
    leaning:
      "di, a, da, in, con, su, per, tra, fra, uno, una, voglio, ho, hai, ci sono, c'è, molto, circa, quasi",
    fillers: 'ehm, eh, mmm, cioè',
    questions: 'chi, cosa, dove, quando, come, quanto, perché',
    promises: 'numero è, telefono è, codice è, indirizzo è, nome è',
    digits: 'zero, uno, due, tre, quattro, cinque, sei, sette, otto, nove',
  },
  pt: {
    open: 'e, mas, ou, porque, se, o, a, os, as, meu, minha, do, da, no, na, ao, pelo, pela, que, eu queria, gostaria de',
    leaning: 'de, em, com, por, para, um, uma, quero, preciso, tenho, há, muito, quase, cerca de',
    fillers: 'hã, hum, é que, tipo',
    questions: 'quem, onde, quando, como, quanto, qual',
    promises: 'número é, número é o, telefone é, telefone é o, código é, endereço é, morada é, nome é',
    digits: 'zero, um, dois, três, quatro, cinco, seis, meia, sete, oito, nove',
  },
  nl: {
    open: 'en, maar, of, omdat, want, als, de, mijn, uw, jouw, onze, ik wil graag, ik zou graag',
    leaning:
      'van, voor, met, naar, bij, in, op, te, om, een, ik wil, ik heb, er is, er zijn, heel, ongeveer, alleen',
    fillers: 'eh, ehm, uh, uhm, nou, even kijken',
    questions: 'wat, wie, waar, wanneer, hoe, waarom, welke',
    promises: 'nummer is, code is, adres is, naam is, postcode is',
    digits: 'nul, een, twee, drie, vier, vijf, zes, zeven, acht, negen',
  },
  pl: {
    open: 'i, a, ale, lub, albo, bo, ponieważ, że, żeby, jeśli, oraz, chciałbym, chciałabym, który, która',
    leaning:
      'w, we, z, ze, na, do, od, dla, po, przez, o, mój, moja, moje, chcę, potrzebuję, mam, bardzo, tylko, około',
    fillers: 'yyy, eee, hmm, no więc',
    questions: 'co, kto, gdzie, kiedy, jak, dlaczego, czy',
    promises: 'numer to, telefon to, kod to, adres to, numer telefonu to',
    digits: 'zero, jeden, dwa, trzy, cztery, pięć, sześć, siedem, osiem, dziewięć',
  },
  sv: {
    open: 'och, men, eller, eftersom, att, min, mitt, mina, vår, som, jag skulle vilja, jag vill',
    leaning: 'till, från, med, för, på, i, av, om, en, ett, jag har, det finns, mycket, bara, ungefär',
    fillers: 'öh, eh, hm',
    questions: 'vad, vem, var, vart, när, hur, varför, vilken',
    promises: 'nummer är, telefonnummer är, kod är, adress är, namn är',
    digits: 'noll, ett, två, tre, fyra, fem, sex, sju, åtta, nio',
  },
  da: {
    open: 'og, men, eller, fordi, at, hvis, min, mit, mine, vores, som, jeg vil gerne, jeg ville gerne',
    leaning: 'til, fra, med, for, på, i, af, en, et, jeg har, der er, meget, kun, cirka',
    fillers: 'øh, øhm, hm',
    questions: 'hvad, hvem, hvor, hvornår, hvordan, hvorfor, hvilken',
    promises: 'nummer er, telefonnummer er, kode er, adresse er, navn er',
    digits: 'nul, en, to, tre, fire, fem, seks, syv, otte, ni',
  },
  nb: {
    open: 'og, men, eller, fordi, at, hvis, min, mitt, mine, vår, som, jeg vil gjerne, jeg ville gjerne',
    leaning: 'til, fra, med, for, på, i, av, en, et, ei, jeg har, det finnes, veldig, bare, cirka',
    fillers: 'øh, eh, hm',
    questions: 'hva, hvem, hvor, når, hvordan, hvorfor, hvilken',
    promises: 'nummer er, telefonnummer er, nummeret mitt er, kode er, adresse er, navn er',
    digits: 'null, en, to, tre, fire, fem, seks, sju, åtte, ni',
  },
  fi: {
    open: 'ja, mutta, tai, koska, että, jos, sekä, vaikka, joka, jotka, minun, meidän, haluaisin',
    leaning: 'kun, kuin, haluan, tarvitsen, minulla on, meillä on, noin, vain, hyvin',
    fillers: 'öö, ööh, tota, tuota, niinku, hmm',
    questions: 'mitä, mikä, kuka, missä, mihin, milloin, koska, miten, miksi, kuinka',
    promises: 'numero on, puhelinnumero on, koodi on, osoite on, nimi on',
    digits: 'nolla, yksi, kaksi, kolme, neljä, viisi, kuusi, seitsemän, kahdeksan, yhdeksän',
  },
  cs: {
    open: 'a, ale, nebo, protože, že, když, aby, jestli, pokud, i, ani, který, která, které, můj, moje, chtěl bych, chtěla bych, rád bych, ráda bych',
    leaning:
      'v, ve, na, do, od, z, ze, s, k, ke, pro, po, o, u, za, před, při, bez, chci, potřebuju, potřebuji, mám, velmi, jen',
    fillers: 'ehm, éé, hm, hmm, no, takže',
    questions: 'co, kdo, kde, kam, kdy, jak, proč, kolik, jaký, jaká, odkud',
    promises: 'číslo je, telefon je, kód je, adresa je, jméno je, jmenuji se, jmenuju se',
    digits: 'nula, jedna, dva, tři, čtyři, pět, šest, sedm, osm, devět',
  },
  uk: {
    open: 'і, й, та, а, але, або, чи, бо, тому що, якщо, щоб, який, яка, я хочу, я хотів би, я хотіла б',
    leaning:
      'в, у, на, з, із, до, від, для, по, за, про, мій, моя, моє, мені потрібно, у мене, дуже, тільки, приблизно',
    fillers: 'е, ем, ну, хм',
    questions: 'що, хто, де, куди, коли, як, чому, скільки',
    promises: 'мій номер, мій телефон, номер телефону, мій код, моя адреса, мене звати',
    digits: "нуль, один, два, три, чотири, п'ять, шість, сім, вісім, дев'ять",
  },
  ru: {
    open: 'и, а, но, или, потому что, если, чтобы, который, которая, я хочу, я хотел бы, я хотела бы',
    leaning:
      'в, на, с, к, по, для, от, из, у, о, за, мой, моя, мои, мне нужно, у меня, очень, только, примерно',
    fillers: 'э, эм, ээ, ну',
    questions: 'кто, где, куда, когда, как, почему, сколько',
    promises: 'мой номер, мой телефон, номер телефона, мой код, мой адрес, меня зовут',
    digits: 'ноль, один, два, три, четыре, пять, шесть, семь, восемь, девять',
  },
  tr: {
    open: 've, ama, fakat, veya, ya da, çünkü, eğer',
    leaning: 'ile, bir, çok, sadece, yaklaşık',
    fillers: 'ıı, eee, şey, yani, hani',
    questions: 'ne, kim, nerede, neden, nasıl, kaç',
    promises: 'numaram, telefonum, adresim, adım',
    digits: 'sıfır, bir, iki, üç, dört, beş, altı, yedi, sekiz, dokuz',
  },
};
