import { described, Pattern, Secret } from '@calls/foundation/schema/annotations';
import { Type } from 'typebox';
import { Token } from '../../setting-fields.ts';
import { defineTelephonyVendor, Identifier, TWILIO_STATUS } from '../telephony-vendor.ts';
import { telnyxDialect } from './dialect.ts';
import { telnyxDialling } from './dialling.ts';
import { telnyxSignature } from './signature.ts';

/** 32 bytes in base64: 44 characters. */
const Ed25519PublicKey = Pattern(
  '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$',
  'must be an Ed25519 public key: 32 bytes in base64',
);

export const telnyx = defineTelephonyVendor({
  key: 'telephony2',
  name: 'Telnyx',
  dialect: telnyxDialect,
  account: {
    fields: {
      accountSid: described(Identifier, 'The ID of the Telnyx account.'),
      apiKey: Secret(described(Token, 'The API key that authenticates requests to Telnyx.')),
      publicKey: Secret(
        described(Ed25519PublicKey, 'The Ed25519 public key that verifies webhooks, in base64.'),
      ),
      applicationSid: Type.String({
        minLength: 1,
        maxLength: 40,
        description: 'The ID of the TeXML application that places outgoing calls.',
      }),
    },
    example: {
      accountSid: 'a1b2c3d4',
      apiKey: 'key-of-the-provider',
      publicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
      applicationSid: 'app-7',
    },
    endpoint: { variable: 'TELEPHONY2_BASE_URL', url: 'https://api.telnyx.com' },
    dialling: telnyxDialling,
    signature: telnyxSignature,
    callIdField: 'CallSid',
    xml: {
      // TeXML transcodes to no other codec than PCMU and PCMA.
      stream: (url) =>
        `<Connect><Stream url="${url}" codec="PCMU" bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>`,
      sip: (uri) => `<Sip>${uri}</Sip>`,
    },
    status: TWILIO_STATUS,
  },
});
