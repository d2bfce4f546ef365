import { TWILIO_STATUS, type TelephonyAdapter } from '../telephony-adapter.ts';
import { telnyxDialling } from './dialling.ts';
import { telnyxSignature } from './signature.ts';

export const telnyx: TelephonyAdapter = {
  dialling: telnyxDialling,
  signature: telnyxSignature,
  xml: {
    // TeXML transcodes to no other codec than PCMU and PCMA.
    stream: (url) =>
      `<Connect><Stream url="${url}" codec="PCMU" bidirectionalMode="rtp" bidirectionalCodec="PCMU"/></Connect>`,
    sip: (uri) => `<Sip>${uri}</Sip>`,
  },
  status: TWILIO_STATUS,
};
