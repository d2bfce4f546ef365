import type { EnvReader } from '@calls/foundation/env-reader';

/** Which engine serves each AI role, in words, as the environment chooses it. */
export interface EngineSummary {
  readonly speechToText: string;
  readonly languageModel: string;
  readonly textToSpeech: string;
}

export function summarizeEngines(env: EnvReader): EngineSummary {
  const models = env.optional('SPEECH_MODEL_DIR');
  const local = (engine: string): string =>
    models === undefined ? `${engine} (local)` : `models in ${models} where they fit, else ${engine} (local)`;
  const localSpeechToText = local('pocketsphinx');
  const speechToText = [
    endpoint(env, 'STT_STREAM') ?? endpoint(env, 'STT') ?? localSpeechToText,
    endpoint(env, 'STT_FALLBACK'),
    env.optional('STT_FALLBACK') === 'local' ? localSpeechToText : undefined,
  ];
  const languageModel = [
    endpoint(env, 'LLM') ?? 'svc-local (small and scripted); svc-v0.7 maps to it until LLM_BASE_URL is set',
    endpoint(env, 'LLM_FALLBACK'),
  ];
  return {
    speechToText: inOrder(speechToText),
    languageModel: inOrder(languageModel),
    textToSpeech: endpoint(env, 'TTS') ?? local('espeak-ng'),
  };
}

function inOrder(engines: readonly (string | undefined)[]): string {
  return engines.filter((engine) => engine !== undefined).join(', else ');
}

function endpoint(env: EnvReader, role: string): string | undefined {
  const url = env.optional(`${role}_BASE_URL`);
  return url === undefined ? undefined : `${env.optional(`${role}_MODEL`) ?? 'default model'} at ${url}`;
}
