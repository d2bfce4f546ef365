import { described, Secret } from '@calls/foundation/schema/annotations';
import { Token } from '../../setting-fields.ts';
import { defineTelephonyVendor, Identifier, TWILIO_STATUS } from '../telephony-vendor.ts';
import { twilioDialect } from './dialect.ts';
import { twilioDialling } from './dialling.ts';
import { twilioSignature } from './signature.ts';

export const twilio = defineTelephonyVendor({
  key: 'telephony1',
  name: 'Twilio',
  dialect: twilioDialect,
  account: {
    fields: {
      accountSid: described(Identifier, 'The SID of the Twilio account.'),
      authToken: Secret(
        described(Token, 'The auth token of the account. Signs webhooks and authenticates API requests.'),
      ),
    },
    example: { accountSid: 'AC0123456789abcdef', authToken: 'token-of-the-provider' },
    endpoint: { variable: 'TELEPHONY1_BASE_URL', url: 'https://api.twilio.com' },
    dialling: twilioDialling,
    signature: twilioSignature,
    callIdField: 'CallSid',
    xml: {
      stream: (url) => `<Connect><Stream url="${url}"/></Connect>`,
      sip: (uri) => `<Sip>${uri}</Sip>`,
    },
    status: { ...TWILIO_STATUS, cause: { field: 'SipResponseCode', prefix: 'SIP ' } },
  },
});
