import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import type { EmbeddingSettings } from './behaviour.ts';
import { BadRequest, parseJson, type ServedExchange } from './exchange.ts';
import { hashedVector, wordsOf } from './hashed-vector.ts';

/** As OpenAI's: `input` may be one text, and a request has at most 2048. */
const embeddingsRequest = compileValidator(
  'embeddings request',
  Type.Object({
    model: Type.String({ minLength: 1 }),
    input: Type.Union([
      Type.String({ minLength: 1 }),
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 2048 }),
    ]),
    encoding_format: Type.Optional(Type.Enum(['float', 'base64'])),
    dimensions: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096 })),
  }),
);

const DEFAULT_DIMENSIONS = 384;

/** `POST /v1/embeddings`. */
export async function handleEmbeddings(
  exchange: ServedExchange,
  { behaviour, delayMs, synonyms }: EmbeddingSettings,
): Promise<void> {
  const request = embeddingsRequest.parse(parseJson(exchange.body));
  const { model, encoding_format: format = 'float', dimensions = DEFAULT_DIMENSIONS } = request;
  const texts = typeof request.input === 'string' ? [request.input] : request.input;
  if (texts.some((text) => text.trim() === '')) throw new BadRequest('input cannot be an empty string');
  exchange.summary.asked = { model, texts: texts.length, first: texts[0]?.slice(0, 80) };
  await exchange.wait(delayMs);
  if (behaviour === 'garbage') {
    exchange.json(200, { object: 'list', data: [{ index: 0, embedding: ['a'] }] });
    return;
  }
  if (behaviour === 'empty') {
    exchange.json(200, { object: 'list', model, data: [], usage: { prompt_tokens: 0, total_tokens: 0 } });
    return;
  }
  if (behaviour === 'cut' || behaviour === 'stall') {
    exchange.head(200, 'application/json');
    exchange.write('{"object": "list", "data": [');
    if (behaviour === 'stall') return exchange.hold();
    exchange.breakConnection();
    return;
  }
  const tokens = texts.reduce((sum, text) => sum + wordsOf(text).length, 0);
  exchange.json(200, {
    object: 'list',
    model,
    data: texts.map((text, index) => {
      const vector = hashedVector(text, { dimensions, synonyms });
      const embedding = format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
      return { object: 'embedding', index, embedding };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}
