import { malformedText, parseClientMessage } from '@calls/api-contract/data-messages/client-messages';
import { MAX_MESSAGE_BYTES } from '@calls/api-contract/data-messages/message-text';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';

/** Parses a client's data message. Never throws. */
export function readDataMessage(bytes: Buffer): TransportEvent {
  if (bytes.byteLength > MAX_MESSAGE_BYTES) {
    const detail = `dropped a data message of ${bytes.byteLength} bytes; the maximum is ${MAX_MESSAGE_BYTES}`;
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
