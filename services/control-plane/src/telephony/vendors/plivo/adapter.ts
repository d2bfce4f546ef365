import type { TelephonyAdapter } from '../telephony-adapter.ts';
import { plivoDialling } from './dialling.ts';
import { plivoSignature } from './signature.ts';

export const plivo: TelephonyAdapter = {
  dialling: plivoDialling,
  signature: plivoSignature,
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
    cause: 'HangupCauseName',
  },
};
