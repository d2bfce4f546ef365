import { Closed } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { choice, number, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

const CustomPronunciation = Closed(
  {
    phrase: Type.String({ minLength: 1, maxLength: 128, description: 'The words to pronounce.' }),
    phoneticEncoding: choice('How `pronunciation` is written; `PHONETIC_ENCODING_IPA` by default.', [
      'PHONETIC_ENCODING_IPA',
      'PHONETIC_ENCODING_X_SAMPA',
      'PHONETIC_ENCODING_JAPANESE_YOMIGANA',
      'PHONETIC_ENCODING_PINYIN',
    ]),
    pronunciation: Type.String({ minLength: 1, maxLength: 256, description: 'Their pronunciation.' }),
  },
  'CustomPronunciation',
);

export const googleCloud = defineTtsVendor({
  key: 'provider4',
  name: 'Google Cloud',
  settings: Closed(
    {
      voiceId: voiceId('The name of the voice, such as en-US-Chirp3-HD-Charon.'),
      speakingRate: number('Speaking rate, from 0.25 to 2.', { minimum: 0.25, maximum: 2 }),
      customPronunciations: Type.Optional(
        Type.Array(CustomPronunciation, { maxItems: 100, description: 'How to pronounce names and words.' }),
      ),
    },
    'Provider4Voice',
  ),
  priceFields: ['voiceId'],
  mainFields: ['voiceId'],
  credential: 'service_account',
  endpoint: { variable: 'TTS_PROVIDER4_BASE_URL', url: 'https://texttospeech.googleapis.com' },
});
