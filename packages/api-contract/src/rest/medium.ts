import { Type, type Static, type TOptional } from 'typebox';
import { DataMessageFlags } from '../data-messages/data-message-flags.ts';
import { Duration } from '../duration.ts';
import {
  TELEPHONY_VENDORS,
  type TelephonyDialect,
  type TelephonyProvider,
} from '../vendors/telephony-vendors.ts';
import { Closed, JsonObject, OneOf } from './common.ts';
import { Secret } from './resource.ts';

const SampleRateHz = Type.Integer({ minimum: 8000, maximum: 48_000 });

export const ServerWebSocketMedium = Closed(
  {
    inputSampleRate: SampleRateHz,
    outputSampleRate: Type.Optional(SampleRateHz),
    clientBufferSizeMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
    dataMessages: Type.Optional(DataMessageFlags),
    mediaIdleTimeout: Type.Optional(Duration),
  },
  'ServerWebSocketMedium',
);
export type ServerWebSocketMedium = Static<typeof ServerWebSocketMedium>;

export const WebRtcMedium = Closed({ dataMessages: Type.Optional(DataMessageFlags) }, 'WebRtcMedium');
export type WebRtcMedium = Static<typeof WebRtcMedium>;

export const DtmfHandling = Closed(
  {
    ignore: Type.Optional(Type.Boolean()),
    userTextMessage: Type.Optional(
      Closed(
        {
          text: Type.Optional(Type.String({ maxLength: 4096 })),
          urgency: Type.Optional(
            Type.Enum(['URGENCY_UNSPECIFIED', 'URGENCY_IMMEDIATE', 'URGENCY_SOON', 'URGENCY_LATER']),
          ),
        },
        'DtmfUserTextMessage',
      ),
    ),
  },
  'DtmfHandling',
);
export type DtmfHandling = Static<typeof DtmfHandling>;

const Address = Type.String({ minLength: 1, maxLength: 256 });

export const TelephonyOutgoing = Closed(
  { to: Address, from: Address, additionalParams: Type.Optional(JsonObject) },
  'TelephonyOutgoing',
);

const TelephonyMedium = Closed(
  { outgoing: Type.Optional(TelephonyOutgoing), dtmfHandling: Type.Optional(DtmfHandling) },
  'TelephonyMedium',
);
/** Of vendors that an account has no credentials of: they do not dial. */
const StreamMedium = Closed({ dtmfHandling: Type.Optional(DtmfHandling) }, 'Telephony4Medium');
export type TelephonyMedium = Static<typeof TelephonyMedium>;

export const SipMedium = OneOf(
  {
    incoming: Type.Optional(Closed({}, 'SipIncoming')),
    outgoing: Type.Optional(
      Closed(
        {
          to: Address,
          from: Address,
          username: Type.Optional(Address),
          password: Secret(Type.Optional(Type.String({ maxLength: 256 })), ['to', 'username']),
        },
        'SipOutgoing',
      ),
    ),
  },
  'SipMedium',
);
export type SipMedium = Static<typeof SipMedium>;

type TelephonyMediums = {
  [P in TelephonyDialect]: TOptional<
    P extends TelephonyProvider ? typeof TelephonyMedium : typeof StreamMedium
  >;
};
const telephonyMediums = Object.fromEntries(
  TELEPHONY_VENDORS.map(({ key, account }) => [key, Type.Optional(account ? TelephonyMedium : StreamMedium)]),
) as TelephonyMediums;

/** How a call is carried. At most one key; none means WebRTC. */
export const CallMedium = OneOf(
  {
    webRtc: Type.Optional(WebRtcMedium),
    serverWebSocket: Type.Optional(ServerWebSocketMedium),
    ...telephonyMediums,
    sip: Type.Optional(SipMedium),
  },
  'CallMedium',
  0,
);
export type CallMedium = Static<typeof CallMedium>;
