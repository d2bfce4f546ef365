import { described, Secret } from '@calls/foundation/schema/annotations';
import { Token } from '../../setting-fields.ts';
import { defineTelephonyVendor, Identifier } from '../telephony-vendor.ts';
import { plivoDialect } from './dialect.ts';
import { plivoDialling } from './dialling.ts';
import { plivoSignature } from './signature.ts';

export const plivo = defineTelephonyVendor({
  key: 'telephony3',
  name: 'Plivo',
  dialect: plivoDialect,
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
    dialling: plivoDialling,
    signature: plivoSignature,
    callIdField: 'CallUUID',
    xml: {
      stream: (url) =>
        `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-l16;rate=16000">${url}</Stream>`,
      sip: (uri) => `<User>${uri}</User>`,
    },
    status: {
      over: {
        completed: 'left',
        busy: 'busy',
        'no-answer': 'no_answer',
        timeout: 'no_answer',
        failed: 'failed',
        cancel: 'canceled',
        canceled: 'canceled',
      },
      cause: { field: 'HangupCauseName', prefix: '' },
    },
  },
});
