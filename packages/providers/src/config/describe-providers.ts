import { listSherpaOnnxVoices } from '../tts/sherpa-onnx/layout.ts';
import type { EndpointConfig, ProviderConfig } from './provider-config.ts';
import { hasSpeechToTextModel } from './speech-model.ts';

/** Which engine plays each role, a line each, for people who start the system. Looks into `speechModelDir`. */
export function describeProviders(config: ProviderConfig): string[] {
  const models = [config.languageModel, config.languageModelFallback].filter((model) => model !== null);
  return [
    `speech to text: ${speechToText(config)}`,
    models.length > 0
      ? `language model: svc-v0.7 is ${models.map(endpointName).join(', else ')}`
      : 'language model: svc-v0.7 is svc-local (small and scripted) until LLM_BASE_URL is set',
    `text to speech: ${textToSpeech(config).join(', ')}`,
  ];
}

function speechToText(config: ProviderConfig): string {
  const fallbacks = config.speechToTextFallbacks.map((each) =>
    each === 'local' ? localSpeechToText(config) : endpointName(each),
  );
  return [firstSpeechToText(config), ...fallbacks].join(', else ');
}

function firstSpeechToText(config: ProviderConfig): string {
  if (config.speechToTextStream) return `${endpointName(config.speechToTextStream)} (streaming)`;
  if (config.speechToText) return endpointName(config.speechToText);
  return localSpeechToText(config);
}

function localSpeechToText(config: ProviderConfig): string {
  if (config.speechModelDir === null) return 'pocketsphinx (local)';
  return hasSpeechToTextModel(config)
    ? `sherpa-onnx (local, ${config.speechModelDir}/stt)`
    : `pocketsphinx (local; no model in ${config.speechModelDir}/stt)`;
}

function textToSpeech({ textToSpeech: endpoint, speechModelDir }: ProviderConfig): string[] {
  const fetched = speechModelDir === null ? 0 : listSherpaOnnxVoices(speechModelDir).length;
  return [
    ...(endpoint ? [endpointName(endpoint)] : []),
    ...(fetched > 0 ? [`sherpa-onnx (local, ${fetched} in ${speechModelDir ?? ''}/tts)`] : []),
    'espeak-ng (local)',
  ];
}

/** Names it in logs and on screens. */
export function endpointName({ model, baseUrl }: EndpointConfig): string {
  // A URL may carry a name and a password; neither belongs on a screen.
  const url = new URL(baseUrl);
  return `${model} at ${url.origin}${url.pathname}`;
}
