import { malformedText, parseClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';

/** Maximum size of a data message; a larger one is dropped with a warning. */
export const MAX_TEXT_BYTES = 256 * 1024;

/** Parses a client's data message. Never throws. */
export function readDataMessage(bytes: Buffer): TransportEvent {
  if (bytes.byteLength > MAX_TEXT_BYTES) {
    const detail = `dropped a data message of ${bytes.byteLength} bytes; the maximum is ${MAX_TEXT_BYTES}`;
    return { type: 'malformed', detail };
  }
  const parsed = parseClientMessage(bytes.toString('utf8'));
  switch (parsed.kind) {
    case 'message':
      return { type: 'data', message: parsed.message };
    case 'unknown':
      return { type: 'unknown_data', messageType: parsed.type };
    case 'malformed':
      return { type: 'malformed', detail: malformedText(parsed) };
  }
}
