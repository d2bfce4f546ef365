import { Closed } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { number, text, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

export const playHt = defineTtsVendor({
  key: 'provider7',
  name: 'PlayHT',
  settings: Closed(
    {
      userId: Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'The id of your user at the vendor.',
      }),
      voiceId: voiceId('The id of the voice.'),
      model: text('The model that speaks.'),
      speed: number('Speaking rate, up to 5.', { exclusiveMinimum: 0, maximum: 5 }),
      quality: text('The quality of the audio.'),
      temperature: number('Randomness, up to 2.', { exclusiveMinimum: 0, maximum: 2 }),
      emotion: text('The emotion to speak with.'),
      voiceGuidance: number('Similarity to the original voice, from 1 to 6.', { minimum: 1, maximum: 6 }),
      styleGuidance: number('Strength of the emotion, from 1 to 30.', { minimum: 1, maximum: 30 }),
      textGuidance: number('Closeness to the text, from 1 to 2.', { minimum: 1, maximum: 2 }),
      voiceConditioningSeconds: number('How much of the reference audio is used, in seconds.', {
        minimum: 0,
      }),
    },
    'Provider7Voice',
  ),
  priceFields: ['userId', 'voiceId', 'model', 'quality'],
  mainFields: ['userId', 'voiceId', 'model'],
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER7_BASE_URL', url: 'https://api.play.ht' },
});
