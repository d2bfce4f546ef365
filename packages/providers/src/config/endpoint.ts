import type { EnvReader } from '@calls/foundation/env-reader';

/** How operators configure an engine that runs on a server: by variables with a common prefix. */
export interface EndpointDescriptor {
  /** `STT` of STT_BASE_URL, STT_MODEL and STT_API_KEY. The engine is in use if its URL is set. */
  readonly prefix: string;
  /** Prefix of the variables of a second server, which is used if the first one fails. */
  readonly fallbackPrefix?: string;
  /** Of the URL; `http:` and `https:` unless given. */
  readonly protocols?: readonly string[];
  /** null: the model is required. */
  readonly defaultModel: string | null;
  /** What the URL is the address of, in the configuration reference; at most 60 characters. */
  readonly server: string;
}

/** A server as configured. */
export interface EndpointConfig {
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

/** The server that the variables with this prefix name; null if its URL is unset. */
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

/** Names a server in logs and on screens, without the credentials that its URL may have. */
export function endpointName({ model, baseUrl }: EndpointConfig): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${model} at ${origin}${pathname}`;
}
