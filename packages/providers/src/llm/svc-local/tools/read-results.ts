import type { ModelMessage } from '@calls/engine-ports/language-model';
import { isJsonObject } from '@calls/foundation/json-object';
import { parsedJson } from '../../json-text.ts';

const MAX_READ_CHARS = 400;
const MAX_ITEMS = 5;

/** Spoken form of the tool results at the end of the messages; undefined if there are none. */
export function readResults(messages: readonly ModelMessage[]): string | undefined {
  const before = messages.findLastIndex(({ role }) => role !== 'tool');
  const results = messages
    .slice(before + 1)
    .flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  return results.length === 0 ? undefined : results.map(readResult).join(' ');
}

function readResult(content: string): string {
  const error = /^error:\s*(?<what>[^]+)$/i.exec(content.trim())?.groups?.['what'];
  if (error !== undefined) return `I'm sorry, that did not work: ${sentence(error)}`;
  const json = parsedJson(content);
  if (Array.isArray(json) && json.length === 0) return 'I found nothing about that.';
  const passage: unknown = Array.isArray(json) ? json[0] : undefined;
  if (isJsonObject(passage) && typeof passage['content'] === 'string') {
    return `I found this: ${sentence(passage['content'])}`;
  }
  const words = json === undefined ? content : spoken(json);
  return words.trim() === '' ? 'That is done.' : sentence(words);
}

/** `city: Paris, degrees: 21`. */
function spoken(value: unknown): string {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(spoken).join(', ');
  if (isJsonObject(value)) {
    return Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([name, inner]) => `${name.replaceAll('_', ' ')}: ${spoken(inner)}`)
      .join(', ');
  }
  if (typeof value === 'string') return value;
  return value === null ? 'none' : JSON.stringify(value);
}

/** Truncated at a word, with a full stop. */
function sentence(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  const short =
    plain.length <= MAX_READ_CHARS ? plain : plain.slice(0, MAX_READ_CHARS).replace(/\s+\S*$/, '');
  return /[.!?]$/.test(short) ? short : `${short}.`;
}
