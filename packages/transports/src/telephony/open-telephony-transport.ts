import type { TelephonySpec } from '@calls/api-contract/call-spec';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import type { WebSocket } from 'ws';
import { ClientSocket } from '../client-socket/client-socket.ts';
import { malformed, type StreamEvent } from './dialect.ts';
import { DIALECTS } from './dialects/index.ts';
import { readStreamEvent } from './read-stream-event.ts';
import { TelephonyTransport } from './transport.ts';

/** How long a provider may take to say how its stream is. */
const START_LIMIT_MS = 10_000;
/** A provider that leaves this much unread (some ten seconds of audio, in base64) is disconnected. */
const MAX_UNSENT_BYTES = 512 * 1024;
const NORMAL_CLOSURE = 1000;

export interface TelephonyOptions {
  socket: WebSocket;
  spec: TelephonySpec;
  clock: Clock;
}

/**
 * A phone call whose audio a provider streams over `socket`. Resolves when the provider has said how its stream is; null where
 * it left, or said nothing of use in time: the socket is closed then. Doesn't reject.
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
      link.end('hangup', 'it does not begin');
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

  const limit = clock.setTimer(START_LIMIT_MS, () => link.end('lost', 'it does not begin'));
  const result = await opened;
  limit.cancel();
  if (!result) await link.closeWith(NORMAL_CLOSURE);
  return result;
}
