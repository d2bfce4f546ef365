import { described } from '../../rest/annotations.ts';
import { Secret } from '../../rest/resource.ts';
import { Token } from '../fields.ts';
import { defineTelephonyVendor, Identifier } from './telephony-vendor.ts';

export const twilio = defineTelephonyVendor({
  key: 'telephony1',
  name: 'Twilio',
  account: {
    fields: {
      accountSid: described(Identifier, 'The SID of the Twilio account.'),
      authToken: Secret(
        described(Token, 'The auth token of the account. Signs webhooks and authenticates API requests.'),
      ),
    },
    example: { accountSid: 'AC0123456789abcdef', authToken: 'token-of-the-provider' },
    endpoint: { variable: 'TELEPHONY1_BASE_URL', url: 'https://api.twilio.com' },
  },
});
