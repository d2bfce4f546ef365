import { Closed } from '@calls/foundation/schema/objects';
import { flag, number, text, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

export const lmnt = defineTtsVendor({
  key: 'provider3',
  name: 'LMNT',
  settings: Closed(
    {
      voiceId: voiceId('The id of the voice.'),
      model: text('The model that speaks.'),
      speed: number('Speaking rate, from 0.25 to 2.', { minimum: 0.25, maximum: 2 }),
      conversational: flag('Speaks as in a conversation rather than as in a reading.'),
    },
    'Provider3Voice',
  ),
  priceFields: ['voiceId', 'model'],
  mainFields: ['voiceId', 'model'],
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER3_BASE_URL', url: 'https://api.lmnt.com' },
});
