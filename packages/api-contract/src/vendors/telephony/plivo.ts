import { described } from '../../rest/annotations.ts';
import { Secret } from '../../rest/resource.ts';
import { Token } from '../fields.ts';
import { defineTelephonyVendor, Identifier } from './telephony-vendor.ts';

export const plivo = defineTelephonyVendor({
  key: 'telephony3',
  name: 'Plivo',
  account: {
    fields: {
      authId: described(Identifier, 'The auth ID of the Plivo account.'),
      authToken: Secret(
        described(Token, 'The auth token of the account. Signs webhooks and authenticates API requests.'),
      ),
    },
    example: { authId: 'MA0123456789', authToken: 'token-of-the-provider' },
    endpoint: { variable: 'TELEPHONY3_BASE_URL', url: 'https://api.plivo.com' },
    numberSeparator: '<',
  },
});
