import type { EnvReader } from '@calls/foundation/env-reader';
import { text, url } from '@calls/foundation/variable';

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
  /** Describes the server in the configuration reference, after `Base URL of`; at most 60 characters. */
  readonly server: string;
}

/** A configured server. */
export interface EndpointConfig {
  baseUrl: string;
  apiKey: string | null;
  model: string;
}

/** Reads the variables with this prefix; null if the URL is unset. Then a model or a key is an issue. */
export function readEndpoint(
  env: EnvReader,
  prefix: string,
  { prefix: firstPrefix, protocols = ['http:', 'https:'], defaultModel, server }: EndpointDescriptor,
): EndpointConfig | null {
  const isFallback = prefix !== firstPrefix;
  const meaning = isFallback
    ? 'Base URL of a second server, used if the first one fails.'
    : `Base URL of ${server}.`;
  const baseUrl = env.value(`${prefix}_BASE_URL`, url({ protocols, unset: 'none', meaning }));
  const unset = defaultModel === null ? 'required with URL' : `\`${defaultModel}\``;
  const named = env.value(`${prefix}_MODEL`, text({ unset, meaning: 'Name of the model on that server.' }));
  const apiKey = env.value(`${prefix}_API_KEY`, text({ unset: 'none', meaning: 'API key for that server.' }));
  if (baseUrl === null) {
    const unused = [named !== null && `${prefix}_MODEL`, apiKey !== null && `${prefix}_API_KEY`];
    for (const name of unused) if (name !== false) env.addIssue(`${name} needs ${prefix}_BASE_URL`);
    return null;
  }
  const model = named ?? defaultModel;
  if (model === null) env.addIssue(`${prefix}_MODEL is required`);
  return { baseUrl, apiKey, model: model ?? '' };
}

/** Server name for logs and screens, without credentials of the URL. */
export function endpointName({ model, baseUrl }: EndpointConfig): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${model} at ${origin}${pathname}`;
}
