import type { ModelMessage } from '@calls/conversation/ports/language-model';
import { parsedJson } from '../json-text.ts';
import { messageText } from '../message-text.ts';

/** Shorter ones are parts of ordinary words. */
const MIN_VALUE_CHARACTERS = 3;

/**
 * What an error must not repeat of these messages: what was said, and the arguments and results of tool calls with every
 * value in them.
 */
export function confidentialTexts(messages: readonly ModelMessage[]): string[] {
  const texts: string[] = [];
  const values: string[] = [];
  for (const message of messages) {
    const text = messageText(message);
    texts.push(text);
    if (message.role === 'tool') collectValues(parsedJson(text), values);
    if (message.role !== 'assistant') continue;
    for (const { arguments: written } of message.toolCalls ?? []) {
      texts.push(written);
      collectValues(parsedJson(written), values);
    }
  }
  // Whole texts first: a value taken out of one would leave the rest of it readable.
  return [...texts, ...values];
}

function collectValues(json: unknown, values: string[]): void {
  if (typeof json === 'object' && json !== null) {
    for (const value of Object.values(json)) collectValues(value, values);
  } else if (typeof json === 'string' || typeof json === 'number') {
    const value = String(json);
    if (value.length >= MIN_VALUE_CHARACTERS) values.push(value);
  }
}
