import type { ModelMessage, UserContent, UserPart } from '@calls/engine-ports/language-model';

/** Inserted before an assistant message at the beginning. */
const BEGINNING: ModelMessage = { role: 'user', content: '(The call begins.)' };
/** Inserted between the result of a tool and the user's next words. */
const PAUSE: ModelMessage = { role: 'assistant', content: '…' };
const MISTRAL = /mistral|mixtral|ministral|magistral|devstral|codestral/iu;

/**
 * The messages in an order that chat templates and strict servers accept: one system message at the start, then the user,
 * then each in turn (Gemma's and other templates; Gemini, for tool calls). Mistral also requires an assistant message
 * after results of tools. Messages of one role in a row are joined.
 */
export function inStrictOrder(messages: readonly ModelMessage[], model: string): ModelMessage[] {
  const instructions = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const ordered: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const last = ordered.at(-1);
    const whole = last && joined(last, message);
    if (whole) ordered.pop();
    if (!last && message.role === 'assistant') ordered.push(BEGINNING);
    if (last?.role === 'tool' && message.role === 'user' && MISTRAL.test(model)) ordered.push(PAUSE);
    ordered.push(whole ?? message);
  }
  return instructions.length === 0
    ? ordered
    : [{ role: 'system', content: instructions.join('\n\n') }, ...ordered];
}

/** Null if the two messages must stay separate. */
function joined(first: ModelMessage, second: ModelMessage): ModelMessage | null {
  if (first.role === 'user' && second.role === 'user')
    return { role: 'user', content: joinedContent(first.content, second.content) };
  if (first.role !== 'assistant' || second.role !== 'assistant' || first.toolCalls?.length) return null;
  return { ...second, content: [first.content, second.content].filter((text) => text !== '').join('\n\n') };
}

function joinedContent(first: UserContent, second: UserContent): UserContent {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: UserContent): readonly UserPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
