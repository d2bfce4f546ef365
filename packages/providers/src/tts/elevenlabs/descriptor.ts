import { ACCEPTED_MARK } from '@calls/foundation/schema/keywords';
import { Closed } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { flag, integer, number, text, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

const dictionaryId = text('The id of a pronunciation dictionary.', { maxLength: 256 });
const versionId = text(
  'A version of the dictionary; the latest by default. With `enableSsmlParsing` the vendor requires it.',
  { maxLength: 256 },
);
const Dictionary = Closed({ dictionaryId, versionId }, 'PronunciationDictionaryReference');

export const elevenLabs = defineTtsVendor({
  key: 'provider1',
  name: 'ElevenLabs',
  settings: Closed(
    {
      voiceId: voiceId('The id of the voice.'),
      model: text('The model that speaks.'),
      speed: number('Speaking rate, from 0.7 to 1.2.', { minimum: 0.7, maximum: 1.2 }),
      useSpeakerBoost: flag('Raises the similarity to the original speaker.'),
      style: number('Exaggeration of the style, from 0 to 1.', { minimum: 0, maximum: 1 }),
      similarityBoost: number('Similarity to the original voice, from 0 to 1.', { minimum: 0, maximum: 1 }),
      stability: number('Stability between generations, from 0 to 1.', { minimum: 0, maximum: 1 }),
      pronunciationDictionaries: Type.Optional(
        Type.Array(Type.With(Dictionary, { [ACCEPTED_MARK]: { required: ['dictionaryId'] } }), {
          maxItems: 32,
          description: 'Pronunciation dictionaries to apply, in order; the vendor accepts 3.',
          [ACCEPTED_MARK]: { maxItems: 3 },
        }),
      ),
      optimizeStreamingLatency: integer('Latency optimization, from 0 (none) to 4.', {
        minimum: 0,
        maximum: 4,
      }),
      maxSampleRate: integer('The highest sample rate to ask for, in Hz.', { minimum: 8000 }),
      enableSsmlParsing: flag('Interprets SSML in the text.'),
    },
    'Provider1Voice',
  ),
  priceFields: ['voiceId', 'model'],
  mainFields: ['voiceId', 'model'],
  labels: {
    maxSampleRate: 'Highest sample rate (Hz)',
    enableSsmlParsing: 'SSML',
  },
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER1_BASE_URL', url: 'https://api.elevenlabs.io' },
});
