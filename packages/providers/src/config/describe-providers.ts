import { listSherpaOnnxVoices } from '../tts/sherpa-onnx/layout.ts';
import type { EndpointConfig, ProviderConfig } from './provider-config.ts';
import { hasSpeechToTextModel } from './speech-model.ts';

/** Which engine plays each role, a line each, for people who start the system. Looks into `speechModelDir`. */
export function describeProviders(config: ProviderConfig): string[] {
  return [
    `speech to text: ${speechToText(config)}`,
    config.languageModel
      ? `language model: svc-v0.7 is ${at(config.languageModel)}`
      : 'language model: svc-v0.7 is svc-local (small and scripted) until LLM_BASE_URL is set',
    `text to speech: ${textToSpeech(config).join(', ')}`,
  ];
}

function speechToText(config: ProviderConfig): string {
  if (config.speechToTextStream) return `${at(config.speechToTextStream)} (streaming)`;
  if (config.speechToText) return at(config.speechToText);
  if (config.speechModelDir === null) return 'pocketsphinx (local)';
  return hasSpeechToTextModel(config)
    ? `sherpa-onnx (local, ${config.speechModelDir}/stt)`
    : `pocketsphinx (local; no model in ${config.speechModelDir}/stt)`;
}

function textToSpeech({ textToSpeech: endpoint, speechModelDir }: ProviderConfig): string[] {
  const fetched = speechModelDir === null ? 0 : listSherpaOnnxVoices(speechModelDir).length;
  return [
    ...(endpoint ? [at(endpoint)] : []),
    ...(fetched > 0 ? [`sherpa-onnx (local, ${fetched} in ${speechModelDir ?? ''}/tts)`] : []),
    'espeak-ng (local)',
  ];
}

function at({ model, baseUrl }: EndpointConfig): string {
  // A URL may carry a name and a password; neither belongs on a screen.
  const url = new URL(baseUrl);
  return `${model} at ${url.origin}${url.pathname}`;
}
