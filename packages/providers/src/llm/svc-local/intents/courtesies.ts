import { callerName, wordCount, type Intent, type Turn } from './intent.ts';

const GOODBYE =
  /\b(?:good ?-?bye|bye(?:-bye)?|see you|farewell|hang up|end (?:the|this) call|that(?: i|')s all|have a (?:nice|good|great) (?:day|evening|night|weekend))\b/;

function saysGoodbye(words: string): boolean {
  return GOODBYE.test(words) && !/\b(?:don't|do not|not yet|never)\b/.test(words);
}

/** Whether the caller answers "anything else?" with no. */
function declines({ words, said }: Turn): boolean {
  return saysNo(words) && /\b(?:else)\b[^.]*\?$/.test(said.at(-1) ?? '');
}

function saysNo(words: string): boolean {
  return /^(?:no|nope|not really|nothing|wrong)\b/.test(words) && wordCount(words) <= 4;
}

/** Whether the caller ends the conversation. */
export const leaves = (turn: Turn): boolean => saysGoodbye(turn.words) || declines(turn);

export const goodbye: Intent = (turn) => {
  if (!saysGoodbye(turn.words)) return undefined;
  const name = callerName(turn);
  return name === undefined ? 'Goodbye! Thank you for calling.' : `Goodbye, ${name}! Thank you for calling.`;
};

export const thanks: Intent = ({ words }) =>
  /\b(?:thanks|thank you)\b/.test(words) && wordCount(words) <= 8
    ? "You're welcome. Is there anything else I can do for you?"
    : undefined;

export const hello: Intent = ({ words }) =>
  /^(?:hello|hi|hey|good (?:morning|afternoon|evening)|hello there|hi there)\b/.test(words) &&
  wordCount(words) <= 4
    ? 'Hello! What can I do for you?'
    : undefined;

export const howAreYou: Intent = ({ words }) =>
  /\bhow are you\b|\bhow(?: i|')s it going\b/.test(words)
    ? "I'm fine, thank you. What can I do for you?"
    : undefined;

export const yes: Intent = ({ words }) =>
  /^(?:yes|yeah|yep|sure|correct|right|exactly|ok|okay|of course|certainly)\b/.test(words) &&
  wordCount(words) <= 4
    ? 'Very well. What else can I do for you?'
    : undefined;

export const no: Intent = (turn) => {
  if (!saysNo(turn.words)) return undefined;
  return declines(turn)
    ? 'All right. Thank you for calling, goodbye!'
    : "I'm sorry. Please tell me again, in other words.";
};
