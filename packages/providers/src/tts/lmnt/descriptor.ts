import { Closed } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { text, voiceId } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

const NO_LONGER_SENT = 'Has no effect: the vendor’s API no longer has this setting.';

export const lmnt = defineTtsVendor({
  key: 'provider3',
  name: 'LMNT',
  settings: Closed(
    {
      voiceId: voiceId('The id of the voice.'),
      model: text('The model that speaks.'),
      speed: Type.Optional(Type.Number({ deprecated: true, description: NO_LONGER_SENT })),
      conversational: Type.Optional(Type.Boolean({ deprecated: true, description: NO_LONGER_SENT })),
    },
    'Provider3Voice',
  ),
  priceFields: ['voiceId', 'model'],
  mainFields: ['voiceId', 'model'],
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER3_BASE_URL', url: 'https://api.lmnt.com' },
});
