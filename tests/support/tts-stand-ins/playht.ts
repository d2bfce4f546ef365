import { buildWavHeader } from '@calls/audio/wav-header';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { deliver, speech } from './spoken.ts';
import type { HttpStandIn } from './stand-in.ts';

const Guidance = Type.Optional(Type.Number({ minimum: 0 }));
const Body = Type.Object(
  {
    text: Type.String({ maxLength: 20_000 }),
    voice: Type.String(),
    voice_engine: Type.String(),
    language: Type.Optional(Type.Enum(['english', 'french', 'german', 'mandarin', 'portuguese', 'spanish'])),
    output_format: Type.Enum(['mp3', 'wav', 'ogg', 'flac', 'mulaw', 'raw']),
    sample_rate: Type.Integer({ minimum: 8000, maximum: 48_000 }),
    speed: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 5 })),
    quality: Type.Optional(Type.String()),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    emotion: Type.Optional(Type.String()),
    voice_guidance: Guidance,
    style_guidance: Guidance,
    text_guidance: Guidance,
    voice_conditioning_seconds: Guidance,
  },
  { additionalProperties: false },
);
const body = compileValidator('body', Body);

/** PlayHT's `POST /api/v2/tts/stream`. */
export const playHt: HttpStandIn = {
  provider: 'provider7',
  path: /^\/api\/v2\/tts\/stream$/,
  refusal: ({ headers }, { apiKey }) =>
    headers.authorization === apiKey && headers['x-user-id'] === 'user-7'
      ? undefined
      : { status: 403, body: { error_message: 'Unauthorized', error_id: 'UNAUTHORIZED' } },
  async serve(exchange, { settings }) {
    const { text, sample_rate: sampleRateHz, speed } = body.parse(exchange.body);
    const begin = (): void => {
      if (exchange.response.headersSent) return;
      exchange.head('audio/wav');
      exchange.response.write(buildWavHeader({ sampleRateHz }));
    };
    await deliver(
      {
        seen: exchange.seen,
        left: exchange.left,
        piece({ pcm }) {
          begin();
          exchange.write(pcm);
        },
        end() {
          begin();
          exchange.response.end();
        },
        fail(status, message, isLate) {
          if (isLate) exchange.cut();
          else exchange.json(status, { error_message: message, error_id: 'INTERNAL' });
        },
        garbage() {
          exchange.head('audio/wav');
          exchange.response.end(Buffer.from('RIFFnoWAVEatall'.repeat(10)));
        },
        cut: () => exchange.cut(),
      },
      settings(),
      await speech(text, sampleRateHz, speed),
    );
  },
};
