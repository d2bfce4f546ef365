/** Phrases, separated by commas. All languages are searched together, like GreetingPhrases. */
export interface PromptPhrases {
  /** Used by menus that continue or keep the caller waiting. */
  menu: string;
  /** Used by people who answer. These phrases count only in a short utterance. */
  hello: string;
}

/** By primary language subtag. They complement the phrases of greetings. */
export const PROMPT_PHRASES: Readonly<Record<string, PromptPhrases>> = {
  en: {
    menu: 'please hold, stay on the line, hold the line, please wait, connect you, transfer you, transferring you, you can say, please say, invalid, not a valid, did not understand, did not recognize, try again, press, to repeat',
    hello: 'hello, hi, speaking',
  },
  de: {
    menu: 'bitte warten, bleiben sie, verbinde sie, werden verbunden, sagen sie bitte, bitte sagen, ungültig, nicht verstanden, drücken',
    hello: 'hallo, ja bitte, am apparat',
  },
  es: {
    menu: 'por favor espere, permanezca en, no cuelgue, le comunico, puede decir, por favor diga, no válida, no entendí',
    hello: 'hola, digame, bueno',
  },
  fr: {
    menu: 'veuillez patienter, restez en ligne, ne quittez pas, mettons en relation, vous pouvez dire, veuillez dire, pas valide, pas compris',
    hello: 'allo, oui bonjour',
  },
  it: {
    menu: 'attendere prego, resti in linea, rimanga in linea, in attesa, può dire, non valida, non ho capito',
    hello: 'pronto',
  },
  pt: {
    menu: 'por favor aguarde, aguarde na linha, permaneça na linha, transferindo, pode dizer, inválida, não entendi',
    hello: 'alo, estou',
  },
  nl: {
    menu: 'een moment geduld, blijf aan de lijn, u wordt doorverbonden, u kunt zeggen, ongeldige, niet begrepen',
    hello: 'hallo',
  },
  ru: {
    menu: 'пожалуйста подождите, оставайтесь на линии, ожидайте, соединяю, вы можете сказать, неверный, не понял',
    hello: 'алло, слушаю',
  },
};
