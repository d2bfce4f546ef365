import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';

const Behaviour = Type.Enum([
  'ok',
  /** Answers the handshake with `errorStatus`. */
  'refuse_status',
  /** Breaks the connection instead of a handshake. */
  'refuse',
  /** The handshake takes `slowMs`. */
  'slow_start',
  /** What a Finalize asks for comes after `slowMs`. */
  'slow_final',
  /** Breaks the connection after `afterAudioMs`. */
  'cut',
  /** Closes the connection as for an internal error, after `afterAudioMs`. */
  'close',
  /** Takes audio and says nothing. */
  'mute',
  /** An error message after `afterAudioMs`, and closes. */
  'error',
  /** A message that does not speak the protocol. */
  'garbage',
]);
export type Behaviour = Static<typeof Behaviour>;

const Ms = Type.Number({ minimum: 0, maximum: 60_000 });

const Settings = Type.Object(
  {
    behaviour: Behaviour,
    /** New connections that it holds for; those after them are well. */
    connections: Type.Integer({ minimum: 1, maximum: 10_000 }),
    slowMs: Ms,
    afterAudioMs: Ms,
    errorStatus: Type.Integer({ minimum: 400, maximum: 599 }),
    /** Audio between two guesses. */
    interimMs: Ms,
    /** A segment of this length is final by itself at its next pause. */
    segmentMs: Ms,
    /** A Finalize with less audio than this behind it has no answer. */
    negligibleMs: Ms,
    /** Without a message for so long it hangs up. */
    idleLimitMs: Ms,
  },
  { additionalProperties: false },
);
export type Settings = Static<typeof Settings>;

const Control = Type.Partial(Settings, { additionalProperties: false });
export type Control = Static<typeof Control>;
export const controlValidator = compileValidator('control', Control);

export const WELL: Settings = {
  behaviour: 'ok',
  connections: 10_000,
  slowMs: 1000,
  afterAudioMs: 500,
  errorStatus: 500,
  interimMs: 100,
  segmentMs: 1500,
  negligibleMs: 40,
  idleLimitMs: 10_000,
};
