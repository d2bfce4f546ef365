import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';

const Behaviour = Type.Enum([
  'ok',
  /** As ok, `slowMs` later. */
  'slow',
  /** The provider's documented error, before any audio. */
  'error',
  /** The provider's documented error in the middle of the answer. */
  'late_error',
  /** Breaks the connection in the middle of the answer. */
  'cut',
  /** Stops in the middle of the answer and keeps the connection. */
  'stall',
  /** Accepts and never answers. */
  'never',
  /** An answer that does not speak the protocol. */
  'garbage',
  /** An answer without audio. */
  'empty',
  /** Breaks the connection without an answer. */
  'refuse',
]);
export type Behaviour = Static<typeof Behaviour>;

const Settings = Type.Object(
  {
    behaviour: Behaviour,
    slowMs: Type.Number({ minimum: 0, maximum: 60_000 }),
    /** Of `error` and `late_error`. */
    errorStatus: Type.Integer({ minimum: 400, maximum: 599 }),
    errorMessage: Type.String(),
    /** Time taken per time of audio: 0 sends it all at once. */
    realTimeFactor: Type.Number({ minimum: 0, maximum: 10 }),
    /** How the generic endpoint answers. */
    genericAnswer: Type.Enum(['wav', 'pcm', 'json_base64', 'json_hex', 'json_lines']),
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof Settings>;

const Control = Type.Partial(Settings, { additionalProperties: false });
export type Control = Static<typeof Control>;
export const controlValidator = compileValidator('control', Control);

export const WELL: Settings = {
  behaviour: 'ok',
  slowMs: 10_000,
  errorStatus: 500,
  errorMessage: 'The stand-in is configured to fail.',
  realTimeFactor: 0.02,
  genericAnswer: 'wav',
};
