const SENTENCES: Readonly<Record<string, string>> = {
  af: 'Hallo! Dit is hoe ek klink wanneer ons met mekaar praat.',
  ar: 'مرحبا! هكذا يبدو صوتي عندما نتحدث معا.',
  bg: 'Здравейте! Така звуча, когато разговаряме.',
  cs: 'Dobrý den! Takhle zním, když spolu mluvíme.',
  da: 'Hej! Sådan lyder jeg, når vi taler sammen.',
  de: 'Hallo! So klinge ich, wenn wir miteinander sprechen.',
  el: 'Γεια σας! Έτσι ακούγομαι όταν μιλάμε.',
  en: 'Hello! This is how I sound when we talk to each other.',
  es: '¡Hola! Así sueno cuando hablamos.',
  fi: 'Hei! Tältä kuulostan, kun puhumme keskenämme.',
  fr: 'Bonjour ! Voici ma voix quand nous parlons ensemble.',
  hi: 'नमस्ते! जब हम बात करते हैं तो मेरी आवाज़ ऐसी लगती है।',
  hu: 'Jó napot! Így hangzom, amikor beszélgetünk.',
  id: 'Halo! Beginilah suara saya saat kita berbicara.',
  it: 'Ciao! Ecco come suona la mia voce quando parliamo.',
  ja: 'こんにちは。お話しするときの声はこんな感じです。',
  ko: '안녕하세요! 우리가 이야기할 때 제 목소리는 이렇습니다.',
  nb: 'Hei! Slik høres jeg ut når vi snakker sammen.',
  nl: 'Hallo! Zo klink ik als we met elkaar praten.',
  pl: 'Dzień dobry! Tak brzmię, kiedy rozmawiamy.',
  pt: 'Olá! É assim que eu soo quando conversamos.',
  ro: 'Bună ziua! Așa sună vocea mea când vorbim.',
  ru: 'Здравствуйте! Так я звучу, когда мы разговариваем.',
  sk: 'Dobrý deň! Takto zniem, keď sa rozprávame.',
  sv: 'Hej! Så här låter jag när vi pratar med varandra.',
  ta: 'வணக்கம்! நாம் பேசும்போது என் குரல் இப்படித்தான் இருக்கும்.',
  tr: 'Merhaba! Konuştuğumuzda sesim böyle duyulur.',
  uk: 'Вітаю! Так я звучу, коли ми розмовляємо.',
  vi: 'Xin chào! Đây là giọng của tôi khi chúng ta nói chuyện.',
  zh: '你好！我们说话时，我的声音就是这样的。',
};
const { en: ENGLISH = '' } = SENTENCES;

/** Alternative language codes. */
const SAME: Readonly<Record<string, string>> = { cmn: 'zh', no: 'nb', nn: 'nb', in: 'id' };

/** The sentence of a voice's preview; English if the language is unknown. */
export function previewSentence(language: string | null): string {
  const [code = ''] = (language ?? '').toLowerCase().split('-', 1);
  return SENTENCES[SAME[code] ?? code] ?? ENGLISH;
}
