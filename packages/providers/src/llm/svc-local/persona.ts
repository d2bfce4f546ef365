/** The agent's persona according to the system prompt. */
export interface Persona {
  name: string | undefined;
  /** With article: `the receptionist of Hotel Miramar`. */
  role: string | undefined;
  company: string | undefined;
  /** The greeting that the prompt prescribes. */
  greeting: string | undefined;
  /** The fixed response that the prompt prescribes. */
  fixedAnswer: string | undefined;
}

/** Quoted words. */
export const QUOTED = String.raw`["“‘'«](?<quoted>[^"”»\n]{1,500}?)["”’'»](?=[\s.,;!?)]|$)`;
const GREETING_VERB = String.raw`\b(?:greet|say|open|begin|start|answer the (?:phone|call))\b`;

/** Finds common phrases of English system prompts. Missing parts are undefined. */
export function readPersona(systemPrompt: string): Persona {
  const role = readRole(systemPrompt);
  return {
    name: readName(systemPrompt),
    role,
    company: readCompany(systemPrompt),
    greeting: readGreeting(systemPrompt),
    fixedAnswer: new RegExp(
      String.raw`\b(?:always|only) (?:answer|reply|respond|say)(?: with)?:? ${QUOTED}`,
      'iu',
    ).exec(systemPrompt)?.groups?.['quoted'],
  };
}

/** `Anna, the receptionist of Hotel Miramar`; undefined if the prompt has no name and no role. */
export function introduction({ name, role, company }: Persona): string | undefined {
  const at = company !== undefined && role?.includes(company) !== true ? ` from ${company}` : '';
  if (name !== undefined) return role === undefined ? name + at : `${name}, ${role}${at}`;
  return role === undefined ? undefined : role + at;
}

export function greetingText(persona: Persona): string {
  if (persona.greeting !== undefined) return persona.greeting;
  const who = introduction(persona);
  if (who === undefined) {
    const thanks = persona.company === undefined ? '' : ` Thank you for calling ${persona.company}.`;
    return `Hello!${thanks} How can I help you?`;
  }
  return `Hello! ${/^an? /.test(who) ? "I'm" : 'This is'} ${who}. How can I help you?`;
}

/** The greeting that a prompt prescribes: quoted, or starting with a capital letter. */
export function readGreeting(prompt: string): string | undefined {
  const quoted = new RegExp(`${GREETING_VERB}[^.!?\n"“‘«]{0,60}${QUOTED}`, 'iu').exec(prompt);
  if (quoted) return quoted.groups?.['quoted'];
  const plain =
    /\b(?:greet|Greet)\b[^.!?\n]{0,40}?\b(?:with|by saying):? (?<words>\p{Lu}[^\n]*?[.!?])(?=\s|$)/u.exec(
      prompt,
    );
  return plain?.groups?.['words'];
}

function readName(prompt: string): string | undefined {
  const NAME = String.raw`(?<name>\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)`;
  const named = new RegExp(String.raw`\b(?:[Yy]our name is|named|called) ${NAME}`, 'u').exec(prompt);
  if (named) return named.groups?.['name'];
  const isNamed = new RegExp(String.raw`\b[Yy]ou(?: are|['’]re) (?!An? |The )${NAME}`, 'u').exec(prompt);
  return isNamed?.groups?.['name'];
}

function readRole(prompt: string): string | undefined {
  const role = String.raw`(?<role>(?:an?|the) [^.,;:!?\n]{2,80}?)`;
  const end = String.raw`(?= (?:who|that|which|and|named|called|whose)\b|[.,;:!?\n]|$)`;
  const found = new RegExp(
    String.raw`\byou(?: are|['’]re)(?: \p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?,)? ${role}${end}`,
    'iu',
  ).exec(prompt)?.groups?.['role'];
  return found?.replace(/^(\w)/, (first) => first.toLowerCase());
}

function readCompany(prompt: string): string | undefined {
  const found =
    /\b(?:at|for|from|of|to) (?<company>\p{Lu}[\p{L}\d&'’-]*(?: (?:&|of|the|and|\p{Lu}[\p{L}\d&'’-]*))*)/u.exec(
      prompt,
    )?.groups?.['company'];
  return found?.replace(/(?: (?:&|of|the|and))+$/, '');
}
