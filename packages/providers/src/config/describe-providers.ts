import type { EndpointConfig, ProviderConfig } from './provider-config.ts';

/** Which engine plays each role, a line each, for people who start the system. */
export function describeProviders(config: ProviderConfig): string[] {
  const { speechToText, languageModel, textToSpeech, speechModelDir } = config;
  const local = (engine: string): string =>
    speechModelDir === null
      ? `${engine} (local)`
      : `models in ${speechModelDir} where they fit, else ${engine} (local)`;
  return [
    `speech to text: ${speechToText ? at(speechToText) : local('pocketsphinx')}`,
    languageModel
      ? `language model: svc-v0.7 is ${at(languageModel)}`
      : 'language model: svc-v0.7 is svc-local (small and scripted) until LLM_BASE_URL is set',
    `text to speech: ${textToSpeech ? `${at(textToSpeech)}, and ` : ''}${local('espeak-ng')}`,
  ];
}

function at({ model, baseUrl }: EndpointConfig): string {
  // A URL may carry a name and a password; neither belongs on a screen.
  const url = new URL(baseUrl);
  return `${model} at ${url.origin}${url.pathname}`;
}
