import type { HostedSttVendor } from '../stt-vendor.ts';
import { createDeepgramSpeechToText } from './adapter.ts';

export const deepgram: HostedSttVendor = {
  name: 'Deepgram',
  endpoint: {
    prefix: 'STT_STREAM',
    protocols: ['wss:', 'ws:', 'https:', 'http:'],
    defaultModel: 'nova-3',
    server: "a server with Deepgram's live protocol",
  },
  create: createDeepgramSpeechToText,
};
