import { TWILIO_STATUS, type TelephonyAdapter } from '../telephony-adapter.ts';
import { twilioDialling } from './dialling.ts';
import { twilioSignature } from './signature.ts';

export const twilio: TelephonyAdapter = {
  dialling: twilioDialling,
  signature: twilioSignature,
  xml: {
    stream: (url) => `<Connect><Stream url="${url}"/></Connect>`,
    sip: (uri) => `<Sip>${uri}</Sip>`,
  },
  status: TWILIO_STATUS,
};
