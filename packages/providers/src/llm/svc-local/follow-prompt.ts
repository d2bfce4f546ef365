import { greetingText, QUOTED, readGreeting, type Persona } from './persona.ts';

/** The other side of the call. */
const OTHER = String.raw`(?:the |your )?(?:user|caller|customer|person|guest|them|him|her)`;

type Rule = readonly [pattern: string, words: (rest: string) => string];

/** Common instructions for an opening, and the sentence that follows them. `rest` excludes the end of its sentence. */
const RULES: readonly Rule[] = [
  [String.raw`ask (?:${OTHER} )?for (?<rest>.+)`, (rest) => `Could you tell me ${rest}, please?`],
  [
    String.raw`ask (?:${OTHER} )?(?:whether|if) they(?: are|['’]re) (?<rest>.+)`,
    (rest) => `Are you ${rest}?`,
  ],
  [String.raw`ask (?:${OTHER} )?(?:whether|if) they (?<rest>.+)`, (rest) => `May I ask whether you ${rest}?`],
  [
    String.raw`ask (?:${OTHER} )?(?<rest>(?:what|when|where|who|why|how|which|whether|if)\b.+)`,
    (rest) => `May I ask ${rest}?`,
  ],
  [String.raw`(?:tell|inform|remind) ${OTHER}:? (?:that )?(?<rest>.+)`, (rest) => `${capital(rest)}.`],
  [String.raw`thank ${OTHER} for (?<rest>.+)`, (rest) => `Thank you for ${rest}.`],
  [String.raw`welcome ${OTHER} (?<rest>(?:back|to)\b.*)`, (rest) => `Welcome ${rest}!`],
];

/** The opening that a call's own prompt asks for; undefined if the prompt is not understood. */
export function followPrompt(prompt: string, persona: Persona): string | undefined {
  const quoted = new RegExp(String.raw`\b(?:ask|tell)\b[^.!?\n"“‘«]{0,60}${QUOTED}`, 'iu').exec(prompt);
  const given = readGreeting(prompt) ?? quoted?.groups?.['quoted'];
  if (given !== undefined) return given;
  const said = sentencesOf(prompt).flatMap((sentence) => saidFor(sentence, persona) ?? []);
  return said.length === 0 ? undefined : said.join(' ');
}

function saidFor(sentence: string, persona: Persona): string | undefined {
  for (const [pattern, words] of RULES) {
    const rest = new RegExp(String.raw`\b${pattern}$`, 'iu').exec(sentence)?.groups?.['rest'];
    if (rest !== undefined) return words(toOther(rest.trim()));
  }
  return /\b(?:greet|introduce yourself|say hello)\b/i.test(sentence) ? greetingText(persona) : undefined;
}

/** At most MAX_SENTENCES, without punctuation at the end. */
function sentencesOf(prompt: string): string[] {
  return prompt
    .slice(0, MAX_PROMPT_CHARS)
    .split(/[.!?\n]+(?:\s+|$)/)
    .filter((sentence) => sentence.trim() !== '')
    .slice(0, MAX_SENTENCES);
}

const MAX_PROMPT_CHARS = 2000;
const MAX_SENTENCES = 5;

/** Changes the perspective: `their order number` becomes `your order number`. */
function toOther(words: string): string {
  return words
    .replace(/\bthey(?: are|['’]re)\b/gi, 'you are')
    .replace(/\bthey\b/gi, 'you')
    .replace(/\b(?:the (?:user|caller|customer)['’]s|their)\b/gi, 'your')
    .replace(/\bthem\b/gi, 'you');
}

function capital(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
