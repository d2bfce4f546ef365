import { malformed, type Dialect, type StreamEvent } from './dialect.ts';

/** Maximum frame size. The longest documented audio is 100 kB before base64. */
export const MAX_STREAM_FRAME_BYTES = 256 * 1024;
const MAX_EVENT_LENGTH = 64;

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
