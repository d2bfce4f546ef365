import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { cloning } from './cloning.ts';
import { deliver, speech } from './spoken.ts';
import type { HttpStandIn } from './stand-in.ts';

const Body = Type.Object(
  {
    model_id: Type.String(),
    transcript: Type.String(),
    voice: Type.Object({ mode: Type.Literal('id'), id: Type.String() }, { additionalProperties: false }),
    language: Type.Optional(Type.String({ minLength: 2, maxLength: 2 })),
    output_format: Type.Object({
      container: Type.Literal('raw'),
      encoding: Type.Literal('pcm_s16le'),
      sample_rate: Type.Integer(),
    }),
    add_timestamps: Type.Boolean(),
    generation_config: Type.Optional(
      Type.Object(
        {
          volume: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2 })),
          speed: Type.Optional(Type.Number({ minimum: 0.6, maximum: 1.5 })),
          emotion: Type.Optional(Type.String()),
        },
        { additionalProperties: false },
      ),
    ),
    pronunciation_dict_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
const body = compileValidator('body', Body);

const refusal: HttpStandIn['refusal'] = ({ headers }, { apiKey }) => {
  if (!/^\d{4}-\d\d-\d\d$/.test(String(headers['cartesia-version'])))
    return { status: 400, body: { error: 'Missing Cartesia-Version header' } };
  const isKnown = headers['x-api-key'] === apiKey || headers.authorization === `Bearer ${apiKey}`;
  return isKnown ? undefined : { status: 401, body: { error: 'Invalid API key' } };
};

/** Cartesia's `POST /tts/sse`. */
export const cartesia: HttpStandIn = {
  provider: 'provider2',
  path: /^\/tts\/sse$/,
  refusal,
  async serve(exchange, { settings }) {
    const { transcript, output_format: format, generation_config: generation } = body.parse(exchange.body);
    const event = (fields: { type: string } & Record<string, unknown>): void => {
      exchange.head('text/event-stream');
      exchange.write(`event: ${fields.type}\ndata: ${JSON.stringify({ status_code: 206, ...fields })}\n\n`);
    };
    await deliver(
      {
        seen: exchange.seen,
        left: exchange.left,
        piece({ pcm, words }) {
          event({ type: 'chunk', done: false, step_time: 12.5, data: pcm.toString('base64') });
          if (words.length === 0) return;
          event({
            type: 'timestamps',
            done: false,
            word_timestamps: {
              words: words.map(({ word }) => word),
              start: words.map(({ startMs }) => startMs / 1000),
              end: words.map(({ endMs }) => endMs / 1000),
            },
          });
        },
        end() {
          event({ type: 'done', done: true });
          exchange.response.end();
        },
        fail(status, message, isLate) {
          if (!isLate) {
            exchange.json(status, { error: message });
            return;
          }
          event({ type: 'error', done: true, error: message, status_code: status });
          exchange.response.end();
        },
        garbage() {
          exchange.head('text/event-stream');
          exchange.response.end('data: {"type": 7}\n\n');
        },
        cut: () => exchange.cut(),
      },
      settings(),
      await speech(transcript, format.sample_rate, generation?.speed),
    );
  },
};

const cloneForm = cloning('clip', {
  name: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  language: Type.String({ minLength: 2, maxLength: 2 }),
});

/** Cartesia's `POST /voices/clone`. */
export const cartesiaCloning: HttpStandIn = {
  provider: 'provider2',
  path: /^\/voices\/clone$/,
  refusal,
  serve(exchange, deps) {
    cloneForm(exchange, deps, {
      voice: { id: '5d9e1a1e-6f3c-4b0e-9a52-0c1f2f3a4b5c', access: 'private', language: 'de' },
      error: (error) => ({ error }),
    });
    return Promise.resolve();
  },
};
