import type { EnvReader } from '@calls/foundation/env-reader';

/** How operators configure a hosted engine: by variables with a common prefix. */
export interface EndpointDescriptor {
  /** For example, `STT` of STT_BASE_URL, STT_MODEL and STT_API_KEY. The engine is used if its URL is set. */
  readonly prefix: string;
  /** Prefix of the variables of a second server, used if the first one fails. */
  readonly fallbackPrefix?: string;
  /** Protocols of the URL; default `http:` and `https:`. */
  readonly protocols?: readonly string[];
  /** Null if the model is required. */
  readonly defaultModel: string | null;
  /** Description of the server for the configuration reference; at most 60 characters. */
  readonly server: string;
}

/** A configured server. */
export interface EndpointConfig {
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

/** Reads the variables with this prefix; null if the URL is unset. */
export function readEndpoint(
  env: EnvReader,
  prefix: string,
  { protocols = ['http:', 'https:'], defaultModel }: EndpointDescriptor,
): EndpointConfig | null {
  if (env.optional(`${prefix}_BASE_URL`) === undefined) return null;
  return {
    baseUrl: env.url(`${prefix}_BASE_URL`, protocols),
    apiKey: env.optional(`${prefix}_API_KEY`) ?? null,
    model: env.string(`${prefix}_MODEL`, defaultModel ?? undefined),
  };
}

/** Server name for logs and screens, without credentials of the URL. */
export function endpointName({ model, baseUrl }: EndpointConfig): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${model} at ${origin}${pathname}`;
}
