import type { EnvReader } from '@calls/foundation/env-reader';
import { integer } from '@calls/foundation/variable';
import { readEndpoint, type EndpointConfig, type EndpointDescriptor } from '../config/endpoint.ts';

export interface RerankConfig extends EndpointConfig {
  timeoutMs: number;
  /** Passages of one request. */
  maxPassages: number;
}

const RERANK_ENDPOINT: EndpointDescriptor = {
  prefix: 'RERANK',
  defaultModel: null,
  server: "a server with Jina's and Cohere's `/rerank`",
};

const VARIABLES = {
  RERANK_TIMEOUT_MS: integer({
    default: 250,
    min: 20,
    max: 600,
    meaning: 'Time limit of a request; if it is exceeded, the order of the search is used.',
  }),
  RERANK_MAX_PASSAGES: integer({
    default: 30,
    min: 20,
    max: 100,
    meaning: 'Maximum number of passages that are compared with a query.',
  }),
};

/** Null without an endpoint. Issues are collected in `env`; the caller calls `finish`. */
export function readRerankConfig(env: EnvReader): RerankConfig | null {
  const endpoint = readEndpoint(env, RERANK_ENDPOINT.prefix, RERANK_ENDPOINT);
  const { RERANK_TIMEOUT_MS: timeoutMs, RERANK_MAX_PASSAGES: maxPassages } = env.read(VARIABLES);
  return endpoint && { ...endpoint, timeoutMs, maxPassages };
}
