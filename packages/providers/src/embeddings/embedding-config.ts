import type { EnvReader } from '@calls/foundation/env-reader';
import { integer, text } from '@calls/foundation/variable';
import { readEndpoint, type EndpointConfig, type EndpointDescriptor } from '../config/endpoint.ts';
import { MAX_DIMENSIONS } from './wire.ts';

export interface EmbeddingConfig extends EndpointConfig {
  /** Length of the vectors to request; null: that of the model. */
  dimensions: number | null;
  /** Maximum number of passages per request. */
  batchSize: number;
  /** Time limit of a request with a batch of passages. */
  timeoutMs: number;
  /** Time limit of a request with a query. */
  queryTimeoutMs: number;
  /** Precedes each query, followed by a space; empty: none. */
  queryPrefix: string;
  /** Precedes each passage in the same way. */
  passagePrefix: string;
}

const EMBEDDING_ENDPOINT: EndpointDescriptor = {
  prefix: 'EMBEDDING',
  defaultModel: null,
  server: "a server with OpenAI's `/embeddings`",
};

const VARIABLES = {
  EMBEDDING_DIMENSIONS: integer({
    min: 8,
    max: MAX_DIMENSIONS,
    unset: "the model's",
    meaning: 'Number of dimensions, for models that can shorten their vectors.',
  }),
  EMBEDDING_BATCH_SIZE: integer({
    default: 32,
    min: 1,
    max: 512,
    meaning: 'Maximum number of passages in a request.',
  }),
  EMBEDDING_TIMEOUT_MS: integer({
    default: 30_000,
    min: 100,
    max: 50_000,
    meaning: 'Time limit of a request with passages.',
  }),
  EMBEDDING_QUERY_TIMEOUT_MS: integer({
    default: 800,
    min: 50,
    max: 1000,
    meaning: 'Time limit of a request with a query; if it is exceeded, only full-text search is used.',
  }),
  EMBEDDING_QUERY_PREFIX: text({
    default: '',
    meaning: 'Text to add before each query, for models that need it; `query:` for E5.',
  }),
  EMBEDDING_PASSAGE_PREFIX: text({
    default: '',
    meaning: 'Text to add before each passage; `passage:` for E5.',
  }),
};

/** Null without an endpoint. Issues are collected in `env`; the caller calls `finish`. */
export function readEmbeddingConfig(env: EnvReader): EmbeddingConfig | null {
  const endpoint = readEndpoint(env, EMBEDDING_ENDPOINT.prefix, EMBEDDING_ENDPOINT);
  const values = env.read(VARIABLES);
  return (
    endpoint && {
      ...endpoint,
      dimensions: values.EMBEDDING_DIMENSIONS,
      batchSize: values.EMBEDDING_BATCH_SIZE,
      timeoutMs: values.EMBEDDING_TIMEOUT_MS,
      queryTimeoutMs: values.EMBEDDING_QUERY_TIMEOUT_MS,
      queryPrefix: values.EMBEDDING_QUERY_PREFIX,
      passagePrefix: values.EMBEDDING_PASSAGE_PREFIX,
    }
  );
}
