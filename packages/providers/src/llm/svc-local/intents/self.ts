import { introduction } from '../persona.ts';
import { callerName, type Intent } from './intent.ts';

const HONEST = "I'm the small scripted model built into this server";

export const whatAreYou: Intent = ({ words }) =>
  /\b(?:are you|is this|am i (?:talking|speaking) (?:to|with))\b.*\b(?:human|person|robot|bot|machine|ai|computer|recording|real|language model|chat ?gpt)\b|\b(?:what|which) (?:model|language model|ai)\b|\bwho (?:made|built|programmed) you\b/.test(
    words,
  )
    ? `${HONEST}, neither a person nor a large language model. I understand a few simple things.`
    : undefined;

export const wantsPerson: Intent = ({ words }) =>
  /\b(?:speak|talk|connect|transfer|put)\b.*\b(?:human|person|some(?:one|body)|operator|agent|representative)\b/.test(
    words,
  )
    ? "I'm sorry, there is no person here that I could put you through to. What can I do for you?"
    : undefined;

export const whoAreYou: Intent = ({ words, persona }) => {
  if (
    !/\bwho (?:are you|is this|am i (?:talking|speaking) (?:to|with))\b|\bwhat(?: i|')s your name\b|\byour name\?/.test(
      words,
    )
  ) {
    return undefined;
  }
  const who = introduction(persona);
  return who === undefined ? `${HONEST}.` : `This is ${who}. To be honest, ${HONEST}.`;
};

export const whatIsMyName: Intent = (turn) => {
  if (!/\bwhat(?: i|')s my name\b|\bdo you (?:know|remember) my name\b|\bwho am i\b/.test(turn.words))
    return undefined;
  const name = callerName(turn);
  return name === undefined ? "You haven't told me your name yet." : `Your name is ${name}.`;
};

export const introducesThemselves: Intent = (turn) => {
  const name = callerName({ ...turn, callerTurns: [turn.callerText] });
  return name === undefined ? undefined : `Nice to meet you, ${name}. How can I help you?`;
};

export const help: Intent = ({ words }) =>
  /\bwhat can you do\b|\bhow can you help\b|\bwhat do you (?:do|know)\b|^(?:please )?help(?: me)?\W*$/.test(
    words,
  )
    ? `I can tell you the time and the date, spell a word, repeat numbers and what I said, and remember your name. ${HONEST}; connect a real one for more.`
    : undefined;
