import { Type, type Static } from 'typebox';
import { DataMessageFlags } from '../data-messages/data-message-flags.ts';
import { Duration } from '../duration.ts';
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

/** How a call is carried. At most one key; none means WebRTC. */
export const CallMedium = OneOf(
  {
    webRtc: Type.Optional(WebRtcMedium),
    serverWebSocket: Type.Optional(ServerWebSocketMedium),
    telephony1: Type.Optional(TelephonyMedium),
    telephony2: Type.Optional(TelephonyMedium),
    telephony3: Type.Optional(TelephonyMedium),
    telephony4: Type.Optional(Closed({ dtmfHandling: Type.Optional(DtmfHandling) }, 'Telephony4Medium')),
    sip: Type.Optional(SipMedium),
  },
  'CallMedium',
  0,
);
export type CallMedium = Static<typeof CallMedium>;
