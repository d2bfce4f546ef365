import type { EnvReader } from '@calls/foundation';

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
  const llmUrl = env.optional('LLM_BASE_URL');
  return {
    speechToText: endpoint(env, 'STT_STREAM') ?? endpoint(env, 'STT') ?? local('pocketsphinx'),
    languageModel:
      llmUrl === undefined
        ? 'svc-local (small and scripted); svc-v0.7 maps to it until LLM_BASE_URL is set'
        : `${env.optional('LLM_MODEL') ?? 'svc-v0.7'} at ${llmUrl}`,
    textToSpeech: endpoint(env, 'TTS') ?? local('espeak-ng'),
  };
}

function endpoint(env: EnvReader, role: 'STT_STREAM' | 'STT' | 'TTS'): string | undefined {
  const url = env.optional(`${role}_BASE_URL`);
  return url === undefined ? undefined : `${env.optional(`${role}_MODEL`) ?? 'default model'} at ${url}`;
}
