import { callerName, type Intent } from './intent.ts';

export const notUnderstood: Intent = ({ words }) =>
  /[\p{L}\p{N}]/u.test(words) ? undefined : "Sorry, I didn't catch that. Could you say it again?";

export const repeatAfterMe: Intent = ({ callerText }) =>
  /^\W*(?:please )?(?:repeat after me|say after me)\W+(?<words>.+)$/iu.exec(callerText)?.groups?.['words'];

export const repeat: Intent = ({ words, said }) => {
  const asked =
    /\b(?:(?:repeat|say) (?:that|it|this)\b|pardon\b|come again\b|what did you (?:just )?say|(?:didn't|did not|can't|cannot|couldn't) (?:hear|catch|understand))/;
  if (!asked.test(words)) return undefined;
  const last = said.at(-1);
  return last === undefined
    ? 'I have not said anything yet. How can I help you?'
    : `I said: ${last.replace(/^(?:I said: )+/, '')}`;
};

export const spell: Intent = (turn) => {
  const asked = /\bspell(?: the word)? (?<what>my name|[\p{L}'-]+)/u.exec(turn.words)?.groups?.['what'];
  if (asked === undefined) return undefined;
  const word = asked === 'my name' ? callerName(turn) : asked;
  if (word === undefined) return "You haven't told me your name yet.";
  return `${Array.from(word.toUpperCase().replace(/[^\p{L}]/gu, '')).join(', ')}.`;
};

export const time: Intent = ({ words, wallMs }) =>
  /\bwhat(?: is|'?s) the (?:current )?time(?: now| please)?[?.!]*$|\bwhat time is it\b|\btell me the time(?: please)?[?.!]*$/.test(
    words,
  )
    ? `It is ${new Date(wallMs).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' })}, universal time.`
    : undefined;

export const date: Intent = ({ words, wallMs }) =>
  /\bwhat (?:day|date)\b|\bwhat(?: i|')s (?:the date|today(?:'s date)?)\b|\btoday's date\b/.test(words)
    ? `Today is ${new Date(wallMs).toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric', timeZone: 'UTC' })}.`
    : undefined;

const NUMBER =
  /\b(?:\d[\d.,:/-]*|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)\b/g;

/** A phone number, a time or an amount: at least two number words, or digits. */
export const numbers: Intent = ({ callerText, words }) => {
  const found = words.match(NUMBER) ?? [];
  const counts = found.length >= 2 || found.some((word) => /\d/.test(word));
  if (!counts) return undefined;
  return `You said: ${callerText.replace(/[\s.?!…]+$/u, '')}. I understood ${found.length === 1 ? 'the number' : 'the numbers'} ${found.join(', ')}. Is that right?`;
};
