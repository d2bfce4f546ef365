import type { HostedSttVendor } from '../stt-vendor.ts';
import { createOpenAiCompatibleSpeechToText } from './adapter.ts';

export const openAiCompatible: HostedSttVendor = {
  name: 'OpenAI-compatible',
  endpoint: {
    prefix: 'STT',
    fallbackPrefix: 'STT_FALLBACK',
    defaultModel: 'whisper-1',
    server: "a server with OpenAI's `/audio/transcriptions`",
  },
  create: createOpenAiCompatibleSpeechToText,
};
