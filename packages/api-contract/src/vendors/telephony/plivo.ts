import { Secret } from '../../rest/resource.ts';
import { defineTelephonyVendor, Identifier, Token } from './telephony-vendor.ts';

export const plivo = defineTelephonyVendor({
  key: 'telephony3',
  name: 'Plivo',
  account: {
    fields: { authId: Identifier, authToken: Secret(Token) },
    example: { authId: 'MA0123456789', authToken: 'token-of-the-provider' },
    endpoint: { variable: 'TELEPHONY3_BASE_URL', url: 'https://api.plivo.com' },
    numberSeparator: '<',
  },
});
