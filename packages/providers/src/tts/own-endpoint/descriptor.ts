import { Secret } from '@calls/foundation/schema/annotations';
import { Closed, JsonObject } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { choice, text } from '../../setting-fields.ts';
import { defineTtsVendor } from '../tts-vendor.ts';

/** An HTTP endpoint of the customer's. */
export const ownEndpoint = defineTtsVendor({
  key: 'generic',
  name: 'Own endpoint',
  settings: Closed(
    {
      url: Type.String({
        format: 'uri',
        maxLength: 2048,
        description: 'Receives a POST request for each sentence.',
      }),
      headers: Secret(
        Type.Optional(
          Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
            maxProperties: 50,
            description: 'Headers of the requests.',
          }),
        ),
        ['url'],
      ),
      body: Type.Optional(
        Type.With(JsonObject, {
          description:
            'JSON body of the requests. In its strings, `{text}` is replaced by the sentence and `{language}` by the language hint of the call.',
        }),
      ),
      responseSampleRate: Type.Optional(
        Type.Integer({
          minimum: 8000,
          maximum: 48_000,
          description: 'Sample rate of headerless PCM, in Hz.',
        }),
      ),
      responseWordsPerMinute: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          description: 'Speaking rate from which word timings are estimated.',
        }),
      ),
      responseMimeType: text(
        'Media type of the response; set it if the Content-Type header is wrong or absent.',
      ),
      jsonAudioFieldPath: text(
        'Dotted path of the audio in a JSON response, or in each line of JSON lines.',
        {
          maxLength: 256,
        },
      ),
      jsonByteEncoding: choice('Encoding of the audio in JSON.', [
        'JSON_BYTE_ENCODING_UNSPECIFIED',
        'JSON_BYTE_ENCODING_BASE64',
        'JSON_BYTE_ENCODING_HEX',
      ]),
    },
    'GenericVoice',
  ),
  priceFields: ['url', 'headers', 'body'],
  mainFields: ['url', 'headers', 'body'],
  labels: {
    url: 'URL',
    responseMimeType: 'Media type of the response',
    responseSampleRate: 'Sample rate of the response (Hz)',
    responseWordsPerMinute: 'Words per minute',
    jsonAudioFieldPath: 'Path of the audio in JSON',
    jsonByteEncoding: 'Encoding of bytes in JSON',
  },
  credential: null,
  endpoint: null,
});
