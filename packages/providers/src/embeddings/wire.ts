import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';

export const MAX_DIMENSIONS = 4096;

/** The response of `POST /embeddings` with numbers; other fields are ignored. */
export const embeddingsResponse = compileValidator(
  'embeddings',
  Type.Object({
    data: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0 }),
        embedding: Type.Array(Type.Number(), { minItems: 1, maxItems: MAX_DIMENSIONS }),
      }),
    ),
  }),
);

export interface EmbeddingsRequest {
  model: string;
  input: readonly string[];
  /** If absent, servers respond with vectors of the model's length. */
  dimensions?: number;
}
