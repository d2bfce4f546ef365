import { described } from '@calls/foundation/schema/annotations';
import { Closed } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { number, text, texts, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

export const cartesia = defineTtsVendor({
  key: 'provider2',
  name: 'Cartesia',
  settings: Closed(
    {
      voiceId: voiceId('The id of the voice.'),
      model: text('The model that speaks.'),
      speed: number('Speaking rate; `generationConfig.speed` takes precedence.'),
      emotion: text('The emotion to speak with; `generationConfig.emotion` takes precedence.'),
      emotions: texts('Emotions to speak with; the first is used.'),
      generationConfig: Type.Optional(
        described(
          Closed(
            {
              volume: number('Volume, from 0.5 to 2.', { minimum: 0.5, maximum: 2 }),
              speed: number('Speaking rate, from 0.6 to 1.5.', { minimum: 0.6, maximum: 1.5 }),
              emotion: text('The emotion to speak with.'),
              pronunciationDictId: text('The id of a pronunciation dictionary.', { maxLength: 256 }),
            },
            'Provider2GenerationConfig',
          ),
          'Speech settings of sonic-3 and later models.',
        ),
      ),
    },
    'Provider2Voice',
  ),
  priceFields: ['voiceId', 'model'],
  mainFields: ['voiceId', 'model'],
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER2_BASE_URL', url: 'https://api.cartesia.ai' },
});
