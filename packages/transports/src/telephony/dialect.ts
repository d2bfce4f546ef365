import { compileValidator } from '@calls/api-contract/validation/validator';
import { Type, type Static, type TSchema } from 'typebox';
import type { SentFormat, StreamFormat } from './stream-format.ts';

/** What a provider says of its stream as it begins. */
export interface StreamStart {
  streamId: string;
  input: StreamFormat;
  output: SentFormat;
}

/** What a provider's frame says. */
export type StreamEvent =
  | { type: 'start'; start: StreamStart }
  /** The user's voice, in base64. */
  | { type: 'audio'; payload: string }
  | { type: 'dtmf'; digit: string }
  /** All that was sent before this mark has been played, or was cleared. */
  | { type: 'played'; mark: string }
  | { type: 'stop' }
  /** Nothing of interest. */
  | { type: 'other' }
  /** An unknown event. */
  | { type: 'unknown'; event: string }
  | { type: 'malformed'; detail: string };

/** How what is sent to a provider is written, each as one text frame. */
export interface FrameWriter {
  /** Audio is sent in multiples of it: what is left over waits for more, or for silence to fill it up. */
  readonly chunkSamples: number;
  audio(payload: string): string;
  mark(name: string): string;
  clear(): string;
}

/** A frame that is JSON, an object, and of the event in question. */
export type FrameReader = (frame: object) => StreamEvent;

/** What one provider's streams speak. */
export interface Dialect {
  /** By the frame's `event`. */
  readonly reads: Readonly<Record<string, FrameReader>>;
  /** Its closing the connection says that the phone call is over, as a `stop` does. */
  readonly closesWhenDone: boolean;
  writes(start: StreamStart): FrameWriter;
}

const MAX_REPORTED_FAULTS = 5;
const MAX_DETAIL_LENGTH = 500;

/** Reads frames of one event. Fields that `schema` doesn't name are of no interest. */
export function reading<S extends TSchema>(
  event: string,
  schema: S,
  read: (frame: Static<S>) => StreamEvent,
): FrameReader {
  const validator = compileValidator('frame', schema);
  return (frame) => {
    const faults = validator.issues(frame).slice(0, MAX_REPORTED_FAULTS);
    if (faults.length === 0) return read(frame as Static<S>);
    return malformed(`${event}: ${faults.map(({ path, message }) => `${path} ${message}`).join('; ')}`);
  };
}

export function malformed(detail: string): StreamEvent & { type: 'malformed' } {
  return { type: 'malformed', detail: `stream event ${detail}`.slice(0, MAX_DETAIL_LENGTH) };
}

/** What providers give things as names. */
export const Name = Type.String({ minLength: 1, maxLength: 256 });

const OTHER: StreamEvent = { type: 'other' };

/** Of no interest. */
export const ignored: FrameReader = () => OTHER;

export const ends: FrameReader = () => ({ type: 'stop' });

/** The user's track, and not ours; where there is one only, it may have no name. */
export const readsMedia = reading(
  'media',
  Type.Object({
    media: Type.Object({ payload: Type.String(), track: Type.Optional(Type.String({ maxLength: 64 })) }),
  }),
  ({ media: { payload, track = 'inbound' } }) =>
    track.startsWith('inbound') ? { type: 'audio', payload } : OTHER,
);

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
