/**
 * Phrases, separated by commas, that show what answered. All languages are searched together, because the language of a
 * greeting is unknown. Accents are ignored.
 */
export interface GreetingPhrases {
  /** Used by voicemail greetings and answering machines. */
  machine: string;
  /** Used by voicemail greetings, and by phone menus before their options. */
  reached?: string;
  /** Used by phone menus. */
  ivr: string;
  /** Used by assistants that ask callers for their name and reason. */
  screening: string;
  /** Used by people who answer with a long sentence. */
  human: string;
  /** Used by assistants and by people. */
  whoIsCalling: string;
}

/** By primary language subtag. */
export const GREETING_PHRASES: Readonly<Record<string, GreetingPhrases>> = {
  en: {
    machine:
      "leave a message, leave your message, leave me a message, leave your name, leave a brief, leave a short, after the tone, after the beep, at the tone, at the beep, sound of the tone, sound of the beep, voicemail, voice mail, voice mailbox, mailbox, answering machine, is not available, is unavailable, not available right now, isn't available, not able to take your call, unable to take your call, can't take your call, cannot take your call, can't come to the phone, cannot come to the phone, can't answer the phone, get back to you as soon as, return your call, has been forwarded, record your message, is on the phone, the person at extension, number you have dialed, not in service, when done hang up, hang up or press pound, hang up or press the pound, hang up or press hash, hang up or press the hash, may hang up or press, finished recording, done recording",
    reached: "you have reached, you've reached",
    ivr: 'press one, press two, press three, press zero, press 0, press 1, press 2, press 3, press 4, press 5, press 9, press star, press pound, press the pound, for english, para espanol, main menu, following options, listen carefully, our menu, menu options, dial the extension, enter your, your call is important, your call may be recorded, say or press, dial by name',
    screening:
      "state your name, say your name, record your name, tell me your name and, your name and why, your name and the reason, your name and reason, say why you're calling, say why you are calling, tell me why you're calling, tell me why you are calling, reason for your call, reason for calling, reason you're calling, see if they're available, see if this person is available, see if they are available, call assist, call screening, screening service, using a screening, virtual assistant, i'll connect you if",
    human:
      'how can i help, how may i help, how can we help, how may we help, what can i do for you, this is he, this is she',
    whoIsCalling: "who is calling, who's calling, who is this, may i ask who, may i know who",
  },
  de: {
    machine:
      'nicht erreichbar, nicht zu erreichen, nach dem signalton, nach dem ton, nach dem piep, nach dem piepton, nach dem pfeifton, signalton, hinterlassen sie, hinterlasse eine, anrufbeantworter, mailbox, sprachbox, voicemail, rufen sie zurück, rufe zurück, nicht im haus, persönlich nicht, derzeit nicht, teilnehmer ist, legen sie auf oder',
    ivr: 'drücken sie, wählen sie die, wählen sie bitte, hauptmenü, ihr anruf ist uns wichtig, zu schulungszwecken, geben sie, raute taste, rautetaste, sterntaste',
    screening:
      'nennen sie ihren namen, sagen sie ihren namen, ihren namen und, grund ihres anrufs, grund für ihren anruf, warum sie anrufen, weshalb sie anrufen',
    human:
      'was kann ich für sie tun, wie kann ich ihnen helfen, wie kann ich helfen, am apparat, was kann ich tun',
    whoIsCalling: 'wer ist da, wer spricht da, wer ist am apparat, mit wem spreche ich, wer ruft an',
  },
  es: {
    machine:
      'deje su mensaje, deje un mensaje, dejar un mensaje, deja un mensaje, deja tu mensaje, dejanos un mensaje, deje su nombre, despues del tono, despues de la señal, despues del bip, al escuchar el tono, al oir la señal, buzon, contestador, no esta disponible, no se encuentra, no puede atender, no puedo atender, no podemos atender, no puedo contestar, apagado o fuera de, esta hablando por telefono, ocupado en otra, cuelgue o presione, cuelgue o marque, cuelgue o pulse',
    reached: 'ha llamado a',
    ivr: 'presione, marque, pulse, oprima, menu principal, las siguientes opciones, su llamada es importante, puede ser grabada, teclee',
    screening:
      'diga su nombre, indique su nombre, di tu nombre, su nombre y el motivo, tu nombre y el motivo, motivo de su llamada, motivo de tu llamada, por que llama',
    human: 'en que puedo ayudar, en que le puedo ayudar, en que puedo servir, como puedo ayudar',
    whoIsCalling: 'quien habla, quien llama, de parte de quien, quien es',
  },
  fr: {
    machine:
      "laissez un message, laisser un message, laissez votre message, laisser votre message, laissez moi un message, laissez nous un message, apres le bip, apres le signal, apres la tonalite, au signal, signal sonore, bip sonore, messagerie, boite vocale, repondeur, n'est pas disponible, pas disponible, ne peut repondre, ne peut pas repondre, ne peux pas repondre, ne pouvons pas repondre, n'est pas joignable, ne suis pas joignable, ne suis pas la, actuellement absent, est au telephone, vous rappellerai, raccrochez ou",
    reached: 'vous etes bien sur, vous etes bien chez',
    ivr: 'appuyez sur, tapez, faites le, composez, menu principal, les options suivantes, votre appel est important, peut etre enregistre, touche etoile, touche diese',
    screening:
      'dites votre nom, indiquez votre nom, donnez votre nom, votre nom et la raison, raison de votre appel, motif de votre appel, pourquoi vous appelez',
    human:
      'que puis je faire pour vous, comment puis je vous aider, en quoi puis je vous aider, en quoi je peux vous aider',
    whoIsCalling: "qui est a l'appareil, c'est de la part de qui, de la part de qui, qui est ce, c'est qui",
  },
  it: {
    machine:
      'lasciate un messaggio, lasciare un messaggio, lasci un messaggio, lascia un messaggio, lasciate il vostro, lasciare il vostro messaggio, dopo il segnale, dopo il bip, dopo il tono, segnale acustico, segreteria, casella vocale, non è disponibile, non è raggiungibile, non è al momento, non sono disponibile, non posso rispondere, non possiamo rispondere, il cliente da lei chiamato, è al telefono, occupato al telefono, riagganciate o, riagganciare o',
    ivr: 'premere, premi, prema, digitare, digiti, selezionare, menu principale, le seguenti opzioni, la sua chiamata è importante',
    screening:
      'dica il suo nome, dica il nome, il suo nome e il motivo, motivo della chiamata, perché sta chiamando',
    human: 'come posso aiutarla, come posso aiutare, in cosa posso aiutarla, come posso esserle utile',
    whoIsCalling: 'chi parla, chi è, con chi parlo, chi è al telefono',
  },
  pt: {
    machine:
      'deixe a sua mensagem, deixe sua mensagem, deixe uma mensagem, deixar uma mensagem, deixe o seu recado, deixe seu recado, deixe um recado, apos o sinal, apos o bip, depois do sinal, caixa postal, correio de voz, secretaria eletronica, não está disponível, não pode atender, não posso atender, encontra se desligado',
    ivr: 'pressione, disque, tecle, digite, marque, menu principal, as seguintes opções, a sua chamada é importante',
    screening:
      'diga o seu nome, diga seu nome, seu nome e o motivo, motivo da sua chamada, motivo da ligação',
    human: 'em que posso ajudar, como posso ajudar, em que posso ser útil',
    whoIsCalling: 'quem fala, quem está falando, de onde fala, quem é',
  },
  nl: {
    machine:
      'laat een bericht, laat een boodschap, laat uw bericht, een bericht achter, een boodschap achter, spreek een bericht, spreek uw bericht, spreek in na, na de toon, na de piep, na de pieptoon, voicemail, antwoordapparaat, niet bereikbaar, niet beschikbaar, niet aanwezig, kan de telefoon niet, kan u niet te woord',
    ivr: 'toets een, toets 1, toets twee, toets 2, toets drie, toets 3, druk op, kies uit, keuzemenu, hoofdmenu',
    screening: 'zeg uw naam, noem uw naam, uw naam en de reden, reden van uw gesprek, waarom u belt',
    human: 'waarmee kan ik u helpen, hoe kan ik u helpen, wat kan ik voor u doen, kan ik u van dienst zijn',
    whoIsCalling: 'met wie spreek ik, wie is dit, wie belt er',
  },
  ru: {
    machine:
      'оставьте сообщение, оставьте ваше сообщение, оставьте свое сообщение, оставить сообщение, после сигнала, после гудка, звукового сигнала, голосовая почта, голосовой почты, автоответчик, автоответчика, недоступен, не доступен, не может ответить, не могу ответить, не отвечает, вне зоны действия, аппарат абонента, абонент, абонента, разговаривает по телефону, говорит по телефону',
    ivr: 'нажмите, наберите, выберите, введите, главное меню, ваш звонок очень важен, разговор может быть записан',
    screening: 'назовите ваше имя, назовите свое имя, ваше имя и причину, цель вашего звонка, причину звонка',
    human: 'чем могу помочь, чем я могу помочь, чем могу быть полезен',
    whoIsCalling: 'кто это, кто говорит, кто звонит, с кем я говорю',
  },
};
