import { FluxStream } from './flux-stream.ts';
import { NovaStream } from './nova-stream.ts';
import type { ProviderStream, StreamOptions } from './provider-stream.ts';

interface ApiVersion {
  open(options: StreamOptions): ProviderStream;
  /** Why these parameters are refused; null if they are accepted. */
  problemOf(parameters: URLSearchParams): string | null;
}

const RAW_AUDIO = { encoding: 'linear16', sample_rate: '16000' };
const INTERIM_RESULTS = { channels: '1', interim_results: 'true', endpointing: 'false' };
const FLUX_PARAMETERS = new Set([
  'model',
  'encoding',
  'sample_rate',
  'eager_eot_threshold',
  'eot_threshold',
  'eot_timeout_ms',
  'keyterm',
  'language_hint',
  'mip_opt_out',
  'tag',
]);
const FLUX_LANGUAGES = ['de', 'en', 'es', 'fr', 'hi', 'it', 'ja', 'nl', 'pt', 'ru'];

/** By path. */
export const API_VERSIONS: ReadonlyMap<string, ApiVersion> = new Map([
  ['/v1/listen', { open: (options) => new NovaStream(options), problemOf: novaProblem }],
  ['/v2/listen', { open: (options) => new FluxStream(options), problemOf: fluxProblem }],
]);

function novaProblem(parameters: URLSearchParams): string | null {
  const model = parameters.get('model') ?? '';
  if (model === '' || model.startsWith('flux-')) return `There is no model "${model}".`;
  if (parameters.has(model.startsWith('nova-3') ? 'keywords' : 'keyterm'))
    return 'The model does not take these words.';
  return mismatch(parameters, { ...RAW_AUDIO, ...INTERIM_RESULTS });
}

function fluxProblem(parameters: URLSearchParams): string | null {
  const model = parameters.get('model') ?? '';
  if (model !== 'flux-general-en' && model !== 'flux-general-multi') return `There is no model "${model}".`;
  const unknown = [...parameters.keys()].find((name) => !FLUX_PARAMETERS.has(name));
  if (unknown !== undefined) return `Unknown parameter "${unknown}".`;
  const hints = parameters.getAll('language_hint');
  if (hints.length > 0 && model === 'flux-general-en') return 'The model takes no language hints.';
  const hint = hints.find((each) => !FLUX_LANGUAGES.includes(each.split('-', 1)[0] ?? ''));
  if (hint !== undefined) return `The model does not support "${hint}".`;
  return mismatch(parameters, RAW_AUDIO);
}

function mismatch(parameters: URLSearchParams, needed: Readonly<Record<string, string>>): string | null {
  const wrong = Object.entries(needed).find(([name, value]) => parameters.get(name) !== value);
  return wrong ? `Unexpected ${wrong[0]}.` : null;
}
