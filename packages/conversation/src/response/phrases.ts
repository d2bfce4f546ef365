import type { Phrase } from '../turn/turn-types.ts';

type PhraseTable = Record<Phrase, string>;

const ENGLISH: PhraseTable = {
  not_understood: "Sorry, I didn't catch that. Could you say it again?",
  trouble: 'Sorry, something went wrong on my side. Could you say that again?',
  giving_up: "I'm sorry, I'm having technical difficulties. Please call again later. Goodbye.",
  one_moment: 'One moment, please.',
  back_again: 'Sorry, I lost you for a moment. Please go on.',
};

/** By primary language subtag; English otherwise. */
const TABLES: Record<string, PhraseTable | undefined> = {
  en: ENGLISH,
  de: {
    not_understood: 'Entschuldigung, das habe ich nicht verstanden. Können Sie es noch einmal sagen?',
    trouble: 'Entschuldigung, bei mir ist etwas schiefgegangen. Können Sie das noch einmal sagen?',
    giving_up:
      'Es tut mir leid, ich habe technische Schwierigkeiten. Bitte rufen Sie später wieder an. Auf Wiederhören.',
    one_moment: 'Einen Moment, bitte.',
    back_again: 'Entschuldigung, die Verbindung war kurz weg. Bitte sprechen Sie weiter.',
  },
  es: {
    not_understood: 'Perdone, no le he entendido. ¿Puede repetirlo?',
    trouble: 'Perdone, algo ha fallado por mi parte. ¿Puede repetirlo?',
    giving_up: 'Lo siento, tengo problemas técnicos. Por favor, llame más tarde. Adiós.',
    one_moment: 'Un momento, por favor.',
    back_again: 'Perdone, se ha cortado un momento. Continúe, por favor.',
  },
  fr: {
    not_understood: "Pardon, je n'ai pas compris. Pouvez-vous répéter ?",
    trouble: 'Pardon, un problème est survenu de mon côté. Pouvez-vous répéter ?',
    giving_up:
      'Je suis désolé, je rencontre des difficultés techniques. Veuillez rappeler plus tard. Au revoir.',
    one_moment: 'Un instant, je vous prie.',
    back_again: 'Pardon, nous avons été coupés un instant. Je vous en prie, continuez.',
  },
  it: {
    not_understood: 'Mi scusi, non ho capito. Può ripetere?',
    trouble: 'Mi scusi, qualcosa è andato storto da parte mia. Può ripetere?',
    giving_up: 'Mi dispiace, ho problemi tecnici. La prego di richiamare più tardi. Arrivederci.',
    one_moment: 'Un momento, per favore.',
    back_again: 'Mi scusi, la linea è caduta per un momento. Continui pure.',
  },
  pt: {
    not_understood: 'Desculpe, não entendi. Pode repetir?',
    trouble: 'Desculpe, algo correu mal do meu lado. Pode repetir?',
    giving_up: 'Lamento, estou com dificuldades técnicas. Por favor, ligue mais tarde. Adeus.',
    one_moment: 'Um momento, por favor.',
    back_again: 'Desculpe, a ligação falhou por um momento. Continue, por favor.',
  },
  nl: {
    not_understood: 'Sorry, dat heb ik niet verstaan. Kunt u het herhalen?',
    trouble: 'Sorry, er ging iets mis aan mijn kant. Kunt u dat herhalen?',
    giving_up: 'Het spijt me, ik heb technische problemen. Belt u later nog eens. Tot ziens.',
    one_moment: 'Een ogenblik, alstublieft.',
    back_again: 'Sorry, de verbinding was even weg. Gaat u verder.',
  },
};

export function phraseText(phrase: Phrase, languageHint: string | null): string {
  const language = (languageHint ?? 'en').split('-', 1)[0]?.toLowerCase() ?? 'en';
  return (TABLES[language] ?? ENGLISH)[phrase];
}
