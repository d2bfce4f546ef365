import type { TelephonySpec } from '@calls/api-contract/call-spec';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import { malformed, type Dialect, type StreamEvent } from '@calls/providers/telephony/dialect';
import { DIALECTS } from '@calls/providers/telephony/telephony-vendors';
import type { WebSocket } from 'ws';
import { ClientSocket, NORMAL_CLOSURE } from '../client-socket/client-socket.ts';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import { TelephonyTransport } from './transport.ts';

/** Maximum frame size. The longest documented audio is 100 kB before base64. */
export const MAX_STREAM_FRAME_BYTES = 256 * 1024;
const MAX_EVENT_LENGTH = 64;

/** Time limit for the provider's start message. */
const START_LIMIT_MS = 10_000;
/** A provider with more unread data (about ten seconds of audio in base64) is disconnected. */
const MAX_UNSENT_BYTES = 512 * 1024;

export interface TelephonyOptions {
  socket: WebSocket;
  spec: TelephonySpec;
  opus: OpusCodecs;
  clock: Clock;
  /** Called if the stream cannot be used: no start message in time, or one that is invalid or has an unsupported codec. */
  onUnusable: (detail: string) => void;
}

/**
 * Opens a phone call whose audio a provider streams over `socket`. Resolves after the provider's start message.
 * Resolves to null and closes the socket if the provider disconnects or sends no valid start message in time. Never
 * rejects.
 */
export async function openTelephonyTransport(options: TelephonyOptions): Promise<MediaTransport | null> {
  const { socket, spec, opus, clock, onUnusable } = options;
  const dialect = DIALECTS[spec.kind];
  const { promise: opened, resolve } = Promise.withResolvers<TelephonyTransport | null>();
  let transport: TelephonyTransport | null = null;
  const refuse = (detail: string): void => {
    if (!link.ended) onUnusable(detail);
    link.end('hangup', detail);
  };

  const begin = (event: StreamEvent): void => {
    if (event.type === 'start') {
      const { start } = event;
      transport = new TelephonyTransport({ link, start, writer: dialect.writes(start), opus, clock });
      resolve(transport);
    } else if (event.type === 'malformed') {
      refuse(event.detail);
    } else if (event.type === 'stop') {
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

  const limit = clock.setTimer(START_LIMIT_MS, () => refuse(`no start message within ${START_LIMIT_MS} ms`));
  const result = await opened;
  limit.cancel();
  if (!result) await link.closeWith(NORMAL_CLOSURE);
  return result;
}

/** Parses a text frame in a provider's dialect. Never throws. */
export function readStreamEvent({ reads }: Dialect, bytes: Buffer): StreamEvent {
  if (bytes.byteLength > MAX_STREAM_FRAME_BYTES) {
    return malformed(`of ${bytes.byteLength} bytes: the maximum is ${MAX_STREAM_FRAME_BYTES}`);
  }
  let frame: unknown;
  try {
    frame = JSON.parse(bytes.toString('utf8'));
  } catch {
    return malformed('is not JSON');
  }
  if (typeof frame !== 'object' || frame === null || !('event' in frame) || typeof frame.event !== 'string') {
    return malformed('has no event');
  }
  const { event } = frame;
  const read = Object.hasOwn(reads, event) ? reads[event] : undefined;
  return read ? read(frame) : { type: 'unknown', event: event.slice(0, MAX_EVENT_LENGTH) };
}
