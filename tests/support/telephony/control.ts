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

/** What the test has the exchange do. `phoneId` names a phone call. */
const Order = Type.Union([
  /** A person calls a number whose webhook this is; or, of telephony4, one whose applet names this WebSocket. */
  Type.Object({
    order: Type.Literal('dial_in'),
    provider: Type.Enum([...TELEPHONY_DIALECTS]),
    url: Type.String(),
    from: Type.String(),
    to: Type.String(),
  }),
  /** From now on this number behaves so; others are answered. */
  Type.Object({
    order: Type.Literal('set_number'),
    number: Type.String(),
    behaviour: Type.Enum(['answers', 'busy', 'rings_on']),
  }),
  /** The phone call to or from this number, once there is one. */
  Type.Object({ order: Type.Literal('phone_of'), number: Type.String() }),
  /** Answered when it is said. `wav` is base64. */
  Type.Object({ order: Type.Literal('speak'), phoneId: Type.String(), wav: Type.String() }),
  Type.Object({ order: Type.Literal('press'), phoneId: Type.String(), digits: Type.String() }),
  Type.Object({ order: Type.Literal('hang_up'), phoneId: Type.String() }),
  /** Breaks the stream's connection. */
  Type.Object({ order: Type.Literal('cut'), phoneId: Type.String() }),
  Type.Object({ order: Type.Literal('report'), phoneId: Type.String() }),
  Type.Object({ order: Type.Literal('played'), phoneId: Type.String() }),
]);
export type Order = Static<typeof Order>;
export type NumberBehaviour = Extract<Order, { order: 'set_number' }>['behaviour'];
export const orderValidator = compileValidator('order', Order);

/** A phone call as it is now. Times are milliseconds since it began. */
export interface PhoneReport {
  phoneId: string;
  status: CallStatus;
  isOver: boolean;
  nowMs: number;
  /** What was obeyed, in order: `stream`, `redirect`, `hangup`, `dial +4930…`. */
  verbs: string[];
  /** Of its streams: those that were opened, and how they ended. */
  streams: number;
  streamEnds: StreamEnd[];
  /** Number of streams that have played sound. */
  streamsWithSound: number;
  /** Audio waits to be played. */
  isHearing: boolean;
  lastSoundMs: number | null;
  clears: { atMs: number; droppedMs: number }[];
  /** DTMF digits that the service sent to the phone. */
  digits: string;
  /** What the provider wouldn't have taken. */
  errors: string[];
}
