import type { TelephonySpec } from '@calls/api-contract/call-spec';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import type { WebSocket } from 'ws';
import { ClientSocket } from '../client-socket/client-socket.ts';
import { malformed, type StreamEvent } from './dialect.ts';
import { DIALECTS } from './dialects/index.ts';
import { readStreamEvent } from './read-stream-event.ts';
import { TelephonyTransport } from './transport.ts';

/** Time limit for the provider's start message. */
const START_LIMIT_MS = 10_000;
/** A provider with more unread data (about ten seconds of audio in base64) is disconnected. */
const MAX_UNSENT_BYTES = 512 * 1024;
const NORMAL_CLOSURE = 1000;

export interface TelephonyOptions {
  socket: WebSocket;
  spec: TelephonySpec;
  clock: Clock;
}

/**
 * Opens a phone call whose audio a provider streams over `socket`. Resolves after the provider's start message.
 * Resolves to null and closes the socket if the provider disconnects or sends no valid start message in time. Never
 * rejects.
 */
export async function openTelephonyTransport(options: TelephonyOptions): Promise<MediaTransport | null> {
  const { socket, spec, clock } = options;
  const dialect = DIALECTS[spec.kind];
  const { promise: opened, resolve } = Promise.withResolvers<TelephonyTransport | null>();
  let transport: TelephonyTransport | null = null;

  const begin = (event: StreamEvent): void => {
    if (event.type === 'start') {
      const { start } = event;
      transport = new TelephonyTransport({ link, start, writer: dialect.writes(start), clock });
      resolve(transport);
    } else if (event.type === 'stop' || event.type === 'malformed') {
      link.end('hangup', 'no start message');
    }
  };

  const link = new ClientSocket(
    { socket, maxUnsentBytes: MAX_UNSENT_BYTES, clock, provider: dialect },
    {
      onText(bytes) {
        const event = readStreamEvent(dialect, bytes);
        if (transport) transport.take(event);
        else begin(event);
      },
      onBinary() {
        if (transport) transport.take(malformed('is binary'));
      },
      onEnd(reason, detail) {
        if (transport) transport.ended(reason, detail);
        else resolve(null);
      },
    },
  );

  const limit = clock.setTimer(START_LIMIT_MS, () => link.end('lost', 'no start message'));
  const result = await opened;
  limit.cancel();
  if (!result) await link.closeWith(NORMAL_CLOSURE);
  return result;
}
