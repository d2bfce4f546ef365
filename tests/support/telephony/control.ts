import { compileValidator } from '@calls/foundation/schema/validator';
import { TELEPHONY_DIALECTS } from '@calls/providers/telephony/telephony-vendors';
import { Type, type Static } from 'typebox';
import type { Accounts } from './accounts.ts';
import type { StreamEnd } from './media-stream.ts';
import type { CallStatus } from './provider.ts';

export interface ExchangeReady {
  port: number;
  accounts: Accounts;
}

/** Commands of a test to the exchange. `phoneId`: id of a phone call. */
const Order = Type.Union([
  /** Starts a call from a person. `url`: webhook of the called number, or the applet's WebSocket for telephony4. */
  Type.Object({
    order: Type.Literal('dial_in'),
    provider: Type.Enum([...TELEPHONY_DIALECTS]),
    url: Type.String(),
    from: Type.String(),
    to: Type.String(),
  }),
  /** Sets the behaviour of a called number. The default is `answers`. */
  Type.Object({
    order: Type.Literal('set_number'),
    number: Type.String(),
    behaviour: Type.Enum(['answers', 'busy', 'rings_on']),
  }),
  /** Returns the latest phone call to or from this number. */
  Type.Object({ order: Type.Literal('phone_of'), number: Type.String() }),
  /** Sends speech and responds when it has been sent. `wav`: base64. */
  Type.Object({ order: Type.Literal('speak'), phoneId: Type.String(), wav: Type.String() }),
  Type.Object({ order: Type.Literal('press'), phoneId: Type.String(), digits: Type.String() }),
  Type.Object({ order: Type.Literal('hang_up'), phoneId: Type.String() }),
  /** Breaks the connection of the stream. */
  Type.Object({ order: Type.Literal('cut'), phoneId: Type.String() }),
  Type.Object({ order: Type.Literal('report'), phoneId: Type.String() }),
  Type.Object({ order: Type.Literal('played'), phoneId: Type.String() }),
]);
export type Order = Static<typeof Order>;
export type NumberBehaviour = Extract<Order, { order: 'set_number' }>['behaviour'];
export const orderValidator = compileValidator('order', Order);

/** The current state of a phone call. Times are milliseconds since its start. */
export interface PhoneReport {
  phoneId: string;
  status: CallStatus;
  isOver: boolean;
  nowMs: number;
  /** Executed verbs, in order: `stream`, `redirect`, `hangup`, `dial +4930…`. */
  verbs: string[];
  /** Number of streams so far; `streamEnds`: how streams ended. */
  streams: number;
  streamEnds: StreamEnd[];
  /** Number of streams that played audible audio. */
  streamsWithSound: number;
  /** Whether queued audio has not been played completely. */
  isHearing: boolean;
  lastSoundMs: number | null;
  clears: { atMs: number; droppedMs: number }[];
  /** DTMF digits that the service sent to the phone. */
  digits: string;
  /** Requests and messages that the provider would have rejected. */
  errors: string[];
}
