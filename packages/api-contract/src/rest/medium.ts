import { described, marked, Secret } from '@calls/foundation/schema/annotations';
import { CALLED_PARTY_MARK } from '@calls/foundation/schema/keywords';
import { Closed, JsonObject, OneOf, Uuid } from '@calls/foundation/schema/objects';
import {
  TELEPHONY_VENDORS,
  type TelephonyDialect,
  type TelephonyProvider,
} from '@calls/providers/telephony/telephony-vendors';
import { Type, type Static, type TOptional } from 'typebox';
import { DataMessageFlags } from '../data-messages/data-message-flags.ts';
import { DurationUpTo } from './call-setting-values.ts';

const SampleRateHz = Type.Integer({ minimum: 8000, maximum: 48_000 });

/** How much audio a client of a server WebSocket is assumed to buffer, if its medium does not say. */
export const DEFAULT_CLIENT_BUFFER_MS = 60;
/** Shorter idle timeouts are raised to this. */
export const MIN_MEDIA_IDLE_TIMEOUT_MS = 10_000;

const dataMessages = described(
  Type.Optional(DataMessageFlags),
  'Which data messages the client receives. Those that are not set have the default of the medium.',
);

export const ServerWebSocketMedium = Closed(
  {
    inputSampleRate: described(SampleRateHz, 'Sample rate of the audio from the client, in Hz.'),
    outputSampleRate: Type.Optional(
      described(
        SampleRateHz,
        'Sample rate of the audio to the client, in Hz. Defaults to `inputSampleRate`.',
      ),
    ),
    clientBufferSizeMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        description: `Milliseconds of audio that the client buffers. Defaults to \`${DEFAULT_CLIENT_BUFFER_MS}\`.`,
      }),
    ),
    dataMessages,
    mediaIdleTimeout: Type.Optional(
      DurationUpTo(
        '86400s',
        `How long the client can send no audio before the call ends. Less than ${MIN_MEDIA_IDLE_TIMEOUT_MS / 1000}s counts as ${MIN_MEDIA_IDLE_TIMEOUT_MS / 1000}s. If absent, there is no limit.`,
      ),
    ),
  },
  'ServerWebSocketMedium',
  'A WebSocket from a server, with raw audio in both directions at the speed of real time.',
);
export type ServerWebSocketMedium = Static<typeof ServerWebSocketMedium>;

export const WebRtcMedium = Closed(
  { dataMessages },
  'WebRtcMedium',
  'A WebRTC connection, for example of a browser.',
);
export type WebRtcMedium = Static<typeof WebRtcMedium>;

export const DtmfHandling = Closed(
  {
    ignore: Type.Optional(
      Type.Boolean({ description: 'Whether keys that the user presses are ignored. Defaults to `false`.' }),
    ),
    userTextMessage: described(
      Type.Optional(
        Closed(
          {
            text: Type.Optional(
              Type.String({
                maxLength: 4096,
                description: 'Text of the message; `{digits}` stands for the keys. Defaults to `{digits}`.',
              }),
            ),
            urgency: Type.Optional(
              Type.Enum(['URGENCY_UNSPECIFIED', 'URGENCY_IMMEDIATE', 'URGENCY_SOON', 'URGENCY_LATER'], {
                description: 'When the agent responds. Defaults to `URGENCY_SOON`.',
              }),
            ),
          },
          'DtmfUserTextMessage',
          'A user message made from the keys that the user presses.',
        ),
      ),
      'The user message that keys become.',
    ),
  },
  'DtmfHandling',
  'What happens with the keys that the user of a phone presses.',
);
export type DtmfHandling = Static<typeof DtmfHandling>;

const Address = Type.String({ minLength: 1, maxLength: 256 });

export const TelephonyOutgoing = Closed(
  {
    to: described(Address, 'Phone number to call.'),
    from: described(Address, 'Phone number that the call comes from.'),
    additionalParams: Type.Optional(
      described(JsonObject, 'Further parameters of the request to the telephony provider.'),
    ),
  },
  'TelephonyOutgoing',
  'A phone call that the service places.',
);

const dtmfHandling = described(
  Type.Optional(DtmfHandling),
  'What happens with the keys that the user presses.',
);

const TelephonyMedium = Closed(
  {
    outgoing: described(
      Type.Optional(TelephonyOutgoing),
      'The phone call that the service places. If absent, `joinUrl` is the stream target of an existing call.',
    ),
    dtmfHandling,
  },
  'TelephonyMedium',
  'A phone call through a telephony provider, which streams its audio.',
);
export type TelephonyMedium = Static<typeof TelephonyMedium>;

/** The medium of vendors without credentials, which cannot dial. */
const StreamMedium = Closed(
  { dtmfHandling },
  'Telephony4Medium',
  'An incoming phone call through a telephony provider.',
);

export const MediaEncryption = Type.Enum([
  'MEDIA_ENCRYPTION_UNSPECIFIED',
  'MEDIA_ENCRYPTION_OFF',
  'MEDIA_ENCRYPTION_OPTIONAL',
  'MEDIA_ENCRYPTION_REQUIRED',
  'MEDIA_ENCRYPTION_DTLS',
]);
export type MediaEncryption = Static<typeof MediaEncryption>;

export const SipMedium = OneOf(
  {
    incoming: described(
      Type.Optional(Closed({}, 'SipIncoming', 'A call that begins with an INVITE to the service.')),
      'The service receives the call.',
    ),
    outgoing: described(
      Type.Optional(
        Closed(
          {
            to: described(
              marked(Address, CALLED_PARTY_MARK),
              'SIP address or `tel:` URI to call. With `trunkId`, it can be just a number, which is called through the `proxy` of the trunk.',
            ),
            from: Type.Optional(
              described(
                marked(Address, CALLED_PARTY_MARK),
                'SIP address that the call comes from, or its user alone. Optional with `trunkId`: defaults to that of the trunk.',
              ),
            ),
            trunkId: Type.Optional(
              described(Uuid, 'SIP trunk that the call is placed through, with its credentials and limit.'),
            ),
            username: Type.Optional(
              described(marked(Address, CALLED_PARTY_MARK), 'User name, if the peer asks for credentials.'),
            ),
            password: Secret(
              Type.Optional(
                Type.String({
                  maxLength: 256,
                  description: 'Password, if the peer asks for credentials. Write-only.',
                }),
              ),
              ['to', 'username'],
            ),
            headers: Type.Optional(
              marked(
                Type.Record(Type.String(), Type.String({ maxLength: 512 }), {
                  maxProperties: 20,
                  description:
                    'Further headers of the INVITE, such as `X-…`, `P-Asserted-Identity` and `Privacy`. At most 4096 bytes.',
                }),
                CALLED_PARTY_MARK,
              ),
            ),
            mediaEncryption: Type.Optional(
              described(
                MediaEncryption,
                'Whether the call offers or requires encrypted audio (SRTP), with keys in SDP or, if `MEDIA_ENCRYPTION_DTLS`, from DTLS. Defaults to the setting of the service.',
              ),
            ),
          },
          'SipOutgoing',
          'A call that the service places by SIP.',
        ),
      ),
      'The service places the call.',
    ),
  },
  'SipMedium',
  1,
  'A call by SIP. The account needs the feature.',
);
export type SipMedium = Static<typeof SipMedium>;

type TelephonyMediums = {
  [P in TelephonyDialect]: TOptional<
    P extends TelephonyProvider ? typeof TelephonyMedium : typeof StreamMedium
  >;
};
const telephonyMediums = Object.fromEntries(
  TELEPHONY_VENDORS.map(({ key, account }) => [
    key,
    described(
      Type.Optional(account ? TelephonyMedium : StreamMedium),
      `A phone call through the provider ${key}.`,
    ),
  ]),
) as TelephonyMediums;

export const CallMedium = OneOf(
  {
    webRtc: described(Type.Optional(WebRtcMedium), 'A WebRTC connection. The default.'),
    serverWebSocket: described(Type.Optional(ServerWebSocketMedium), 'A WebSocket from a server.'),
    ...telephonyMediums,
    sip: described(Type.Optional(SipMedium), 'A call by SIP.'),
  },
  'CallMedium',
  0,
  'How a call is carried. At most one field is set; without one, it is WebRTC.',
);
export type CallMedium = Static<typeof CallMedium>;
