import type { ModelMessage } from '@calls/engine-ports/language-model';
import { parsedJson } from '../json-text.ts';
import { messageText } from '../message-text.ts';

/** Shorter values occur in ordinary words. */
const MIN_VALUE_CHARACTERS = 3;

/**
 * Texts that errors must not repeat: spoken text, and the arguments and results of tool calls with every value in them.
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
  // Whole texts come first: removing a value first would leave the rest of its text.
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
