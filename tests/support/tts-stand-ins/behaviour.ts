import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';

const Behaviour = Type.Enum([
  'ok',
  /** Like `ok`, but delayed by `slowMs`. */
  'slow',
  /** Sends the documented error of the provider before any audio. */
  'error',
  /** Sends the documented error of the provider in the middle of the response. */
  'late_error',
  /** Like `ok`. WebSockets are closed after each response. */
  'once',
  /** Closes the connection in the middle of the response. */
  'cut',
  /** Stops in the middle of the response without closing the connection. */
  'stall',
  /** Accepts the request and never responds. */
  'never',
  /** Sends a response that violates the protocol. */
  'garbage',
  /** Sends a response without audio. */
  'empty',
  /** Closes the connection without a response. */
  'refuse',
]);
export type Behaviour = Static<typeof Behaviour>;

const Settings = Type.Object(
  {
    behaviour: Behaviour,
    slowMs: Type.Number({ minimum: 0, maximum: 60_000 }),
    /** Status of `error` and `late_error`. */
    errorStatus: Type.Integer({ minimum: 400, maximum: 599 }),
    errorMessage: Type.String(),
    /** Sending time divided by audio time; 0 sends all audio immediately. */
    realTimeFactor: Type.Number({ minimum: 0, maximum: 10 }),
    /** Response format of the generic endpoint. */
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
