import type { ModelMessage } from '@calls/engine-ports/language-model';
import { messageText } from '../message-text.ts';

interface Utterance {
  who: 'caller' | 'agent';
  text: string;
}

const MAX_QUOTE_CHARS = 160;
const FILLERS = new Set(
  'a an and are at be but can could did do does for from have hello hi how i in is it me my no of okay on or please so thank thanks that the this to um uh was we what will with would yes you your'.split(
    ' ',
  ),
);

/** A request to summarize the conversation, or a transcript in the message. */
export function isSummaryRequest(message: ModelMessage): boolean {
  const content = messageText(message);
  return (
    (message.role === 'user' || message.role === 'system') &&
    /\b(?:summari[sz]e|summary)\b/i.test(content) &&
    /\b(?:call|conversation|transcript|we said|discussed|talked)\b/i.test(content)
  );
}

/**
 * One sentence if one sentence or a short summary is requested, otherwise up to three, with the most informative words.
 */
export function summarize(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  const request = last ? messageText(last) : '';
  const utterances = transcriptOf(request) ?? historyOf(messages.slice(0, -1));
  const wanted = /\b(?:one|single|1) sentence|\bshort\b|\bbrief/i.test(request) ? 1 : 3;
  const caller = utterances.filter(({ who }) => who === 'caller');
  if (utterances.length === 0) return 'Nothing was said.';
  if (caller.length === 0) return 'The caller said nothing.';
  const chosen = mostInformative(caller, wanted);
  const agent = utterances.filter(({ who }) => who === 'agent').at(-1);
  const quotes = chosen.map(({ text }) => `“${shortened(text)}”`);
  const ending = agent && wanted > 1 ? ` The agent's last words were “${shortened(agent.text)}”.` : '';
  return `The caller said ${quotes.join(', then ')}.${ending}`;
}

/** Lines such as `user: …` and `Agent: …`; undefined if there are none. */
function transcriptOf(text: string): Utterance[] | undefined {
  const found = [
    ...text.matchAll(
      /^\W*(?<who>user|caller|customer|human|agent|assistant|ai|bot)\W{0,3}:\s*(?<text>\S.*)$/gim,
    ),
  ];
  if (found.length === 0) return undefined;
  return found.map(({ groups }) => ({
    who: /^(?:user|caller|customer|human)$/i.test(groups?.['who'] ?? '') ? 'caller' : 'agent',
    text: (groups?.['text'] ?? '').trim(),
  }));
}

function historyOf(messages: readonly ModelMessage[]): Utterance[] {
  return messages
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map((message): Utterance => ({
      who: message.role === 'user' ? 'caller' : 'agent',
      text: messageText(message).trim(),
    }))
    .filter(({ text }) => text !== '');
}

/** The `count` utterances with the most meaningful words, in spoken order. */
function mostInformative(utterances: readonly Utterance[], count: number): Utterance[] {
  return utterances
    .map((utterance, index) => ({ utterance, index, weight: telling(utterance.text) }))
    .sort((a, b) => b.weight - a.weight || a.index - b.index)
    .filter(({ weight }, rank) => rank === 0 || weight > 0)
    .slice(0, count)
    .sort((a, b) => a.index - b.index)
    .map(({ utterance }) => utterance);
}

function telling(text: string): number {
  const words = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  return new Set(words.filter((word) => !FILLERS.has(word))).size;
}

function shortened(text: string): string {
  const plain = text.replace(/[.\s]+$/, '');
  return plain.length <= MAX_QUOTE_CHARS
    ? plain
    : `${plain.slice(0, MAX_QUOTE_CHARS).replace(/\s+\S*$/, '')} …`;
}
