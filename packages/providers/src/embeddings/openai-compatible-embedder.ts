import { ProviderError } from '@calls/engine-ports/provider-error';
import type { TextEmbedder } from '@calls/engine-ports/text-embedder';
import type { Clock } from '@calls/foundation/clock';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { requestJson } from '../http/json-request.ts';
import type { EmbeddingConfig } from './embedding-config.ts';
import { embeddingsResponse, type EmbeddingsRequest } from './wire.ts';

/** Adapter name for errors. */
const PROVIDER = 'openai-compatible-embeddings';

export interface EmbedderOptions {
  config: EmbeddingConfig;
  /** What is embedded. Determines the prefix and the time limit. */
  texts: 'queries' | 'passages';
  pool: ConnectionPool;
  clock: Clock;
}

/** Embeddings of any server with OpenAI's protocol (Ollama, vLLM, llama.cpp, text-embeddings-inference, hosted). */
export function createOpenAiCompatibleEmbedder({
  config,
  texts: kind,
  ...deps
}: EmbedderOptions): TextEmbedder {
  const { batchSize, dimensions } = config;
  const isQuery = kind === 'queries';
  const timeoutMs = isQuery ? config.queryTimeoutMs : config.timeoutMs;
  const prefix = isQuery ? config.queryPrefix : config.passagePrefix;
  return {
    model: vectorModel(config),
    maxTexts: batchSize,
    async embed(texts, signal) {
      const request: EmbeddingsRequest = {
        model: config.model,
        input: prefix === '' ? texts : texts.map((text) => `${prefix} ${text}`),
        ...(dimensions !== null && { dimensions }),
      };
      const { data } = await requestJson(deps, {
        ...{ provider: PROVIDER, endpoint: config, path: '/embeddings', body: request },
        ...{ response: embeddingsResponse, confidential: texts, timeoutMs, signal },
        timeoutMessage: `no embeddings within ${timeoutMs} ms`,
      });
      return vectorsOf(data, texts.length, dimensions);
    },
  };
}

/** Identifies compatible vectors. It includes the prefix of passages, because their vectors depend on it. */
function vectorModel({ model, dimensions, passagePrefix }: EmbeddingConfig): string {
  const name = dimensions === null ? model : `${model}@${dimensions}`;
  return passagePrefix === '' ? name : `${name} ${JSON.stringify(passagePrefix)}`;
}

function vectorsOf(
  data: readonly { index: number; embedding: readonly number[] }[],
  count: number,
  dimensions: number | null,
): Float32Array[] {
  const length = dimensions ?? data[0]?.embedding.length;
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const { index, embedding } of data) {
    if (embedding.length !== length) {
      throw malformed(`a vector has ${embedding.length} numbers instead of ${length ?? 0}`);
    }
    if (index < count) vectors[index] = ofUnitLength(embedding);
  }
  const whole = vectors.filter((vector) => vector !== undefined);
  if (whole.length !== count || data.length !== count)
    throw malformed('the response does not have a vector for each text');
  return whole;
}

/** Zeros stay zeros: they are similar to nothing. */
function ofUnitLength(numbers: readonly number[]): Float32Array {
  const length = Math.hypot(...numbers);
  const vector = Float32Array.from(numbers);
  if (length > 0) for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / length;
  return vector;
}

function malformed(message: string): ProviderError {
  return new ProviderError(PROVIDER, 'malformed', message);
}
