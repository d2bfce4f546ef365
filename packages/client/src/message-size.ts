import { CallError } from './call-error.ts';
import type { ClientMessage } from './messages.ts';

/** The service drops longer texts, and larger messages (docs/reference/data-messages.md). */
export const MAX_TEXT_LENGTH = 65_536;
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** Throws a CallError for a message that the service would drop because of its size. */
export function checkSize(message: ClientMessage): void {
  for (const [field, value] of Object.entries(message) as [string, unknown][]) {
    if (typeof value !== 'string' || value.length <= MAX_TEXT_LENGTH) continue;
    const size = `${field} must have at most ${MAX_TEXT_LENGTH} characters (got ${value.length})`;
    throw new CallError('message_too_large', size);
  }
  const bytes = new TextEncoder().encode(JSON.stringify(message)).length;
  if (bytes > MAX_MESSAGE_BYTES) {
    const size = `a ${message.type} must have at most ${MAX_MESSAGE_BYTES} bytes (got ${bytes})`;
    throw new CallError('message_too_large', size);
  }
}
