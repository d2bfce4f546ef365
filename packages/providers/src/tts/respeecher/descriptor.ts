import { Closed } from '@calls/foundation/schema/objects';
import { integer, number, text, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

const MODEL_PATH = '^/?[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$';

export const respeecher = defineTtsVendor({
  key: 'provider6',
  name: 'Respeecher',
  settings: Closed(
    {
      voiceId: voiceId('The id of the voice.'),
      model: text('The path of the model in the vendor’s API, such as public/tts/en-rt.', {
        pattern: MODEL_PATH,
      }),
      seed: integer('Seed for reproducible output.'),
      temperature: number('Randomness, from 0.', { minimum: 0 }),
      topK: integer('Top-k sampling: samples from this many candidates; -1: from all.', { minimum: -1 }),
      topP: number('Top-p sampling: samples from the candidates with this total probability, up to 1.', {
        exclusiveMinimum: 0,
        maximum: 1,
      }),
      minP: number('The minimum probability of a candidate, from 0 to 1.', { minimum: 0, maximum: 1 }),
      presencePenalty: number('Penalty for sounds that occurred before, from 0 to 2.', {
        minimum: 0,
        maximum: 2,
      }),
      repetitionPenalty: number('Penalty for repeated sounds, from 1 to 2.', { minimum: 1, maximum: 2 }),
      frequencyPenalty: number('Penalty for frequent sounds, from 0 to 2.', { minimum: 0, maximum: 2 }),
    },
    'Provider6Voice',
  ),
  priceFields: ['voiceId', 'model'],
  mainFields: ['voiceId', 'model'],
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER6_BASE_URL', url: 'https://api.respeecher.com' },
});
