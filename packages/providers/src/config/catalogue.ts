import { createHash } from 'node:crypto';
import type { VoiceSelection } from '@calls/engine-ports/text-to-speech';
import type { LocalLlmVendor } from '../llm/llm-vendor.ts';
import { localLlmVendors } from '../llm/llm-vendors.ts';
import { DEFAULT_ESPEAK_SETTINGS, espeakVoices } from '../tts/espeak-ng/voices.ts';
import { FLITE, fliteVoices } from '../tts/flite/voices.ts';
import { listSherpaOnnxVoices, SHERPA_ONNX_TTS } from '../tts/sherpa-onnx/layout.ts';
import type { CatalogueVoice } from './catalogue-voice.ts';
import type { EndpointVoice, ProviderConfig } from './provider-config.ts';

/** Values of `VoiceSelection.engine`. */
export const OPENAI_COMPATIBLE_ENGINE = 'openai-compatible';
export const ESPEAK_ENGINE = 'espeak-ng';
export const FLITE_ENGINE = FLITE;
export const SHERPA_ENGINE = SHERPA_ONNX_TTS;

export const DEFAULT_MODEL = 'svc-v0.7';

/** Model names that calls may use, the default first. */
export const modelNames: readonly string[] = [DEFAULT_MODEL, ...localLlmVendors().map(({ name }) => name)];

/** Whether calls with this model are served by a script, which does not understand a conversation. */
export function isScriptedModel(
  { languageModel }: Pick<ProviderConfig, 'languageModel'>,
  model: string,
): boolean {
  if (model === DEFAULT_MODEL && languageModel.length > 0) return false;
  return localVendorOf(model)?.isScript ?? false;
}

/** The name of a model for people: that of the model which serves its calls. */
export function modelDisplayName(
  { languageModel }: Pick<ProviderConfig, 'languageModel'>,
  model: string,
): string {
  const [hosted] = languageModel;
  if (model === DEFAULT_MODEL && hosted) return hosted.endpoint.model;
  return localVendorOf(model)?.displayName ?? model;
}

function localVendorOf(model: string): LocalLlmVendor | undefined {
  const [first] = localLlmVendors();
  return model === DEFAULT_MODEL ? first : localLlmVendors().find(({ name }) => name === model);
}

/** Speaks when a call's own voice fails. Needs no network and no key. */
export const LOCAL_FALLBACK_VOICE: VoiceSelection = {
  engine: ESPEAK_ENGINE,
  settings: { ...DEFAULT_ESPEAK_SETTINGS },
};

/** The voices of the configured engines; the first is the default of calls. Reads `speechModelDir`. */
export function catalogueVoices(config: ProviderConfig): readonly CatalogueVoice[] {
  const { textToSpeech, speechModelDir } = config;
  return [
    ...(textToSpeech?.voices ?? []).map(endpointVoice),
    ...(speechModelDir === null ? [] : listSherpaOnnxVoices(speechModelDir)),
    ...fliteVoices,
    ...embeddedVoices,
  ];
}

function endpointVoice({ voice, language }: EndpointVoice): CatalogueVoice {
  return {
    key: `${OPENAI_COMPATIBLE_ENGINE}-${uniqueSlug(voice)}`,
    name: voice.slice(0, MAX_NAME_CHARACTERS),
    description: 'Voice of the configured speech endpoint',
    primaryLanguage: language,
    languageLabel: language && languageLabel(language),
    engine: OPENAI_COMPATIBLE_ENGINE,
    settings: { voice },
  };
}

const MAX_NAME_CHARACTERS = 40;

const embeddedVoices: readonly CatalogueVoice[] = espeakVoices.map(
  ({ name, description, primaryLanguage, languageLabel, settings }) => ({
    key: slug(name),
    name,
    description,
    primaryLanguage,
    languageLabel,
    engine: ESPEAK_ENGINE,
    settings: { ...settings },
  }),
);

/** Slugs of different texts differ: removed characters are hashed into a short suffix. */
function uniqueSlug(text: string): string {
  if (slug(text) === text) return text;
  const rest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return slug(`${text}-${rest}`);
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** Display name of a language. */
export function languageLabel(tag: string): string {
  return new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag;
}
