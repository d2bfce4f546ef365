import { Closed } from '@calls/foundation/schema/objects';
import { number, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

export const googleCloud = defineTtsVendor({
  key: 'provider4',
  name: 'Google Cloud',
  settings: Closed(
    {
      voiceId: voiceId('The name of the voice, such as en-US-Chirp3-HD-Charon.'),
      speakingRate: number('Speaking rate, from 0.25 to 2.', { minimum: 0.25, maximum: 2 }),
    },
    'Provider4Voice',
  ),
  priceFields: ['voiceId'],
  mainFields: ['voiceId'],
  credential: 'service_account',
  endpoint: { variable: 'TTS_PROVIDER4_BASE_URL', url: 'https://texttospeech.googleapis.com' },
});
