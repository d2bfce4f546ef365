import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { deliver, speech } from './spoken.ts';
import type { HttpStandIn } from './stand-in.ts';

const Body = Type.Object(
  {
    voice: Type.String(),
    text: Type.String({ maxLength: 5000 }),
    model: Type.Optional(Type.Enum(['blizzard'])),
    language: Type.Optional(Type.String({ minLength: 2, maxLength: 4 })),
    format: Type.Enum(['aac', 'mp3', 'ulaw', 'wav', 'webm', 'pcm_s16le', 'pcm_f32le']),
    sample_rate: Type.Enum([8000, 16_000, 24_000]),
    temperature: Type.Optional(Type.Number({ minimum: 0 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { additionalProperties: false },
);
const body = compileValidator('body', Body);

/** LMNT's `POST /v1/ai/speech/bytes`. */
export const lmnt: HttpStandIn = {
  provider: 'provider3',
  path: /^\/v1\/ai\/speech\/bytes$/,
  refusal: ({ headers }, { apiKey }) =>
    headers['x-api-key'] === apiKey ? undefined : { status: 401, body: { error: 'Invalid API key.' } },
  async serve(exchange, { settings }) {
    const { text, sample_rate: rateHz } = body.parse(exchange.body);
    await deliver(
      {
        seen: exchange.seen,
        left: exchange.left,
        piece({ pcm }) {
          exchange.head('application/octet-stream');
          exchange.write(pcm);
        },
        end() {
          exchange.head('application/octet-stream');
          exchange.response.end();
        },
        fail(status, message, isLate) {
          if (isLate) exchange.cut();
          else exchange.json(status, { error: message });
        },
        garbage() {
          exchange.head('text/html');
          exchange.response.end('<html>It works!</html>');
        },
        cut: () => exchange.cut(),
      },
      settings(),
      await speech(text, rateHz),
    );
  },
};
