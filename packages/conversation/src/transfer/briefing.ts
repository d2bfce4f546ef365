import type { Acceptance } from './warm-transfer-machine.ts';

/** What the person hears around the summary, and the words that accept or decline. */
interface Language {
  introduction: string;
  questions: Readonly<Record<Acceptance, string>>;
  yes: readonly string[];
  no: readonly string[];
}

const ENGLISH: Language = {
  introduction: 'Hello, I have a caller for you.',
  questions: {
    key: 'Press 1 to take the call, or 2 to decline.',
    speech: 'Would you like to take the call?',
    automatic: "I'll connect you now.",
  },
  yes: ['yes', 'yeah', 'yep', 'sure', 'okay', 'ok', 'connect', 'please'],
  no: ['no', 'nope', 'not', "can't", "don't", 'decline'],
};

/** By primary language subtag; English otherwise. */
const LANGUAGES: Record<string, Language | undefined> = {
  en: ENGLISH,
  de: {
    introduction: 'Guten Tag, ich habe einen Anruf für Sie.',
    questions: {
      key: 'Drücken Sie die 1, um den Anruf anzunehmen, oder die 2, um abzulehnen.',
      speech: 'Möchten Sie den Anruf annehmen?',
      automatic: 'Ich verbinde Sie jetzt.',
    },
    yes: ['ja', 'gerne', 'okay', 'ok', 'klar', 'verbinden'],
    no: ['nein', 'nicht', 'nee', 'kein', 'keine'],
  },
  es: {
    introduction: 'Hola, tengo una llamada para usted.',
    questions: {
      key: 'Pulse 1 para aceptar la llamada o 2 para rechazarla.',
      speech: '¿Quiere aceptar la llamada?',
      automatic: 'Le paso la llamada.',
    },
    yes: ['sí', 'si', 'claro', 'vale', 'bueno', 'adelante'],
    no: ['no'],
  },
  fr: {
    introduction: "Bonjour, j'ai un appel pour vous.",
    questions: {
      key: "Tapez 1 pour prendre l'appel, ou 2 pour le refuser.",
      speech: "Voulez-vous prendre l'appel ?",
      automatic: 'Je vous mets en relation.',
    },
    yes: ['oui', 'ouais', "d'accord", 'volontiers', 'ok'],
    no: ['non', 'pas'],
  },
  it: {
    introduction: 'Buongiorno, ho una chiamata per lei.',
    questions: {
      key: 'Prema 1 per accettare la chiamata, o 2 per rifiutarla.',
      speech: 'Vuole accettare la chiamata?',
      automatic: 'La metto in comunicazione.',
    },
    yes: ['sì', 'si', 'certo', 'volentieri', 'ok'],
    no: ['no', 'non'],
  },
  pt: {
    introduction: 'Olá, tenho uma chamada para si.',
    questions: {
      key: 'Prima 1 para atender a chamada, ou 2 para recusar.',
      speech: 'Quer atender a chamada?',
      automatic: 'Vou passar a chamada.',
    },
    yes: ['sim', 'claro', 'pode', 'ok'],
    no: ['não', 'nao'],
  },
  nl: {
    introduction: 'Hallo, ik heb een gesprek voor u.',
    questions: {
      key: 'Druk op 1 om het gesprek aan te nemen, of op 2 om te weigeren.',
      speech: 'Wilt u het gesprek aannemen?',
      automatic: 'Ik verbind u nu door.',
    },
    yes: ['ja', 'graag', 'prima', 'oké', 'ok'],
    no: ['nee', 'niet', 'geen'],
  },
};

function languageOf(languageHint: string | null): Language {
  const language = (languageHint ?? 'en').split('-', 1)[0]?.toLowerCase() ?? 'en';
  return LANGUAGES[language] ?? ENGLISH;
}

/** What the person hears before they take the call. */
export function briefingText(summary: string, acceptance: Acceptance, languageHint: string | null): string {
  const { introduction, questions } = languageOf(languageHint);
  return `${introduction} ${/[.!?…]$/u.test(summary.trim()) ? summary.trim() : `${summary.trim()}.`} ${questions[acceptance]}`;
}

/** Whether words accept the call; null if they are neither a yes nor a no. If they contain both, the no counts. */
export function acceptsCall(words: string, languageHint: string | null): boolean | null {
  const { yes, no } = languageOf(languageHint);
  const said = new Set(words.toLowerCase().match(/[\p{L}']+/gu));
  if (no.some((word) => said.has(word))) return false;
  return yes.some((word) => said.has(word)) ? true : null;
}
