import { Closed } from '@calls/foundation/schema/objects';
import { choice, flag, number, text, texts, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

export const inworld = defineTtsVendor({
  key: 'provider5',
  name: 'Inworld',
  settings: Closed(
    {
      voiceId: voiceId('The id of the voice.'),
      modelId: text('The model that speaks.'),
      speakingRate: number('Speaking rate, from 0.5 to 1.5.', { minimum: 0.5, maximum: 1.5 }),
      temperature: number('Randomness, from 0 to 2.', { minimum: 0, maximum: 2 }),
      applyTextNormalization: flag('Reads numbers, dates and the like as words.'),
      deliveryMode: choice('How lively the delivery is. The short names are those of the vendor’s API.', [
        'DELIVERY_MODE_UNSPECIFIED',
        'DELIVERY_MODE_STABLE',
        'DELIVERY_MODE_BALANCED',
        'DELIVERY_MODE_CREATIVE',
        'STABLE',
        'BALANCED',
        'CREATIVE',
      ]),
      pronunciationDictionaryIds: texts('The ids of pronunciation dictionaries to apply.'),
    },
    'Provider5Voice',
  ),
  priceFields: ['voiceId', 'modelId'],
  mainFields: ['voiceId', 'modelId'],
  labels: {
    modelId: 'Model',
  },
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER5_BASE_URL', url: 'https://api.inworld.ai' },
});
