import { ProviderError } from '@calls/engine-ports/provider-error';
import type { TextEmbedder } from '@calls/engine-ports/text-embedder';
import type { Clock } from '@calls/foundation/clock';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { authorization, endpointUrl } from '../http/endpoint.ts';
import { HttpExchange, type Deadline } from '../http/exchange.ts';
import { parseFrame } from '../http/json-frame.ts';
import type { EmbeddingConfig } from './embedding-config.ts';
import { embeddingsAnswer, type EmbeddingsRequest } from './wire.ts';

/** Adapter name for errors. */
const PROVIDER = 'openai-compatible-embeddings';
const CONNECT_TIMEOUT_MS = 1000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export interface EmbedderOptions {
  config: Pick<EmbeddingConfig, 'baseUrl' | 'apiKey' | 'model' | 'dimensions' | 'batchSize'>;
  /** Limit of each request. */
  timeoutMs: number;
  pool: ConnectionPool;
  clock: Clock;
}

/** Embeddings of any server with OpenAI's protocol (Ollama, vLLM, llama.cpp, text-embeddings-inference, hosted). */
export function createOpenAiCompatibleEmbedder(options: EmbedderOptions): TextEmbedder {
  const { model, dimensions, batchSize } = options.config;
  return {
    model: dimensions === null ? model : `${model}@${dimensions}`,
    maxTexts: batchSize,
    embed: (texts, signal) => embed(options, texts, signal),
  };
}

async function embed(
  options: EmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const { config, clock, timeoutMs } = options;
  const { model, dimensions } = config;
  const request: EmbeddingsRequest = { model, input: texts, ...(dimensions !== null && { dimensions }) };
  const deadline: Deadline = {
    atMs: clock.nowMs() + timeoutMs,
    message: `no embeddings within ${timeoutMs} ms`,
  };
  const exchange = new HttpExchange(options, {
    provider: PROVIDER,
    url: endpointUrl(config, '/embeddings'),
    headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization(config) },
    body: [Buffer.from(JSON.stringify(request))],
    confidential: [config.apiKey ?? '', ...texts],
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    signal,
  });
  try {
    await exchange.head(deadline);
    return vectorsOf(await readAll(exchange, deadline), texts.length, dimensions);
  } finally {
    exchange.close();
  }
}

async function readAll(exchange: HttpExchange, deadline: Deadline): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let part = await exchange.read(deadline); part !== null; part = await exchange.read(deadline)) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw malformed('the response is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function vectorsOf(body: string, count: number, dimensions: number | null): Float32Array[] {
  const { data } = parseFrame(PROVIDER, embeddingsAnswer, body);
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
