import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static, type TSchema } from 'typebox';
import type { InputFormat, StreamFormat } from './stream-format.ts';

/** The parameters of a stream at its start. */
export interface StreamStart {
  streamId: string;
  input: InputFormat;
  output: StreamFormat;
}

/** A parsed frame of a provider. */
export type StreamEvent =
  | { type: 'start'; start: StreamStart }
  /** The user's voice, in base64. `chunk`: its number, if the provider may send frames out of order. */
  | { type: 'audio'; payload: string; chunk?: number }
  | { type: 'dtmf'; digit: string }
  /** All audio that was sent before this mark has been played or cleared. */
  | { type: 'played'; mark: string }
  | { type: 'stop' }
  /** A known frame that needs no handling. */
  | { type: 'other' }
  /** An unknown event. */
  | { type: 'unknown'; event: string }
  | { type: 'malformed'; detail: string };

/** Writes messages to a provider, each as one text frame. */
export interface FrameWriter {
  /** Audio is sent in multiples of this length. A remainder waits for more audio or for padding. */
  readonly chunkSamples: number;
  audio(payload: string): string;
  mark(name: string): string;
  clear(): string;
  /** Present only if the provider sends DTMF to the phone. */
  digits?(digits: string): string;
}

/** Reads a parsed frame with the matching event. */
export type FrameReader = (frame: object) => StreamEvent;

/** The stream protocol of one provider. */
export interface Dialect {
  /** Readers by the frame's `event`. */
  readonly reads: Readonly<Record<string, FrameReader>>;
  /** Whether closing the connection ends the phone call, as `stop` does. */
  readonly closesWhenDone: boolean;
  writes(start: StreamStart): FrameWriter;
}

const MAX_REPORTED_ISSUES = 5;
const MAX_DETAIL_LENGTH = 500;

/** Reads frames of one event. Ignores fields that `schema` does not contain. */
export function reading<S extends TSchema>(
  event: string,
  schema: S,
  read: (frame: Static<S>) => StreamEvent,
): FrameReader {
  const validator = compileValidator('frame', schema);
  return (frame) => {
    const issues = validator.issues(frame).slice(0, MAX_REPORTED_ISSUES);
    if (issues.length === 0) return read(frame as Static<S>);
    return malformed(`${event}: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`);
  };
}

export function malformed(detail: string): StreamEvent & { type: 'malformed' } {
  return { type: 'malformed', detail: `stream event ${detail}`.slice(0, MAX_DETAIL_LENGTH) };
}

/** Names and ids from providers. */
export const Name = Type.String({ minLength: 1, maxLength: 256 });

const OTHER: StreamEvent = { type: 'other' };

/** Ignores the frame. */
export const ignored: FrameReader = () => OTHER;

export const ends: FrameReader = () => ({ type: 'stop' });

const Media = Type.Object({
  media: Type.Object({
    payload: Type.String(),
    track: Type.Optional(Type.String({ maxLength: 64 })),
    chunk: Type.Optional(Type.Unknown()),
  }),
});

/** Reads the user's track. If there is only one track, it may have no name. */
export const readsMedia = reading('media', Media, ({ media: { payload, track = 'inbound' } }) =>
  track.startsWith('inbound') ? { type: 'audio', payload } : OTHER,
);

/** The same with the number of the chunk. */
export const readsNumberedMedia = reading('media', Media, (frame) => {
  const event = readsMedia(frame);
  const chunk = Number(frame.media.chunk);
  return event.type === 'audio' && Number.isSafeInteger(chunk) ? { ...event, chunk } : event;
});

export const readsDtmf = reading(
  'dtmf',
  Type.Object({ dtmf: Type.Object({ digit: Type.String({ pattern: '^[0-9A-Da-d*#]$' }) }) }),
  ({ dtmf: { digit } }) => ({ type: 'dtmf', digit: digit.toUpperCase() }),
);

export const readsMark = reading(
  'mark',
  Type.Object({ mark: Type.Object({ name: Name }) }),
  ({ mark: { name } }) => ({ type: 'played', mark: name }),
);
