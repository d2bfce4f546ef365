import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';

const Behaviour = Type.Enum([
  'ok',
  /** Rejects the handshake with `errorStatus`. */
  'refuse_status',
  /** Closes the connection instead of completing the handshake. */
  'refuse',
  /** Delays the handshake by `slowMs`. */
  'slow_start',
  /** Delays the response to Finalize by `slowMs`. */
  'slow_final',
  /** Breaks the connection after `afterAudioMs` of audio. */
  'cut',
  /** Closes the connection with the code for an internal error after `afterAudioMs` of audio. */
  'close',
  /** Accepts audio and sends no messages. */
  'mute',
  /** Sends an error message after `afterAudioMs` of audio and closes. */
  'error',
  /** Sends a message that violates the protocol. */
  'garbage',
]);
export type Behaviour = Static<typeof Behaviour>;

const Ms = Type.Number({ minimum: 0, maximum: 60_000 });

const Settings = Type.Object(
  {
    behaviour: Behaviour,
    /** Number of new connections to which the behaviour applies. Later connections behave normally. */
    connections: Type.Integer({ minimum: 1, maximum: 10_000 }),
    slowMs: Ms,
    afterAudioMs: Ms,
    errorStatus: Type.Integer({ minimum: 400, maximum: 599 }),
    /** Delay of every message. */
    delayMs: Ms,
    /** Interval of interim results, in audio time. */
    interimMs: Ms,
    /** A segment of at least this length becomes final at the next pause without Finalize. */
    segmentMs: Ms,
    /** A Finalize after less pending audio than this gets no response. */
    negligibleMs: Ms,
    /** The connection is closed after this time without a message. */
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
  delayMs: 0,
  interimMs: 100,
  segmentMs: 1500,
  negligibleMs: 40,
  idleLimitMs: 10_000,
};
