import type { ModelMessage } from '@calls/engine-ports/language-model';

/** The text of a message; audio has none. */
export function messageText({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
}
