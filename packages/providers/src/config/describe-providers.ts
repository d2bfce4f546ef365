import { hostedLlmVendors, localLlmVendors } from '../llm/llm-vendors.ts';
import { localSttVendor } from '../stt/stt-vendors.ts';
import { listSherpaOnnxVoices } from '../tts/sherpa-onnx/layout.ts';
import { DEFAULT_MODEL } from './catalogue.ts';
import { endpointName } from './endpoint.ts';
import { urlVariables, type HostedEngine, type ProviderConfig } from './provider-config.ts';

/** The engines of each AI role for the start output. Without credentials. */
export interface EngineSummary {
  readonly speechToText: string;
  readonly languageModel: string;
  readonly textToSpeech: string;
}

/** Reads `speechModelDir`. */
export function describeProviders(config: ProviderConfig): EngineSummary {
  return {
    speechToText: config.speechToText
      .map((choice) => (choice === 'local' ? localSpeechToText(config) : hosted(choice)))
      .join(', else '),
    languageModel: config.languageModel.map(hosted).join(', else ') || localLanguageModel(),
    textToSpeech: textToSpeech(config).join(', '),
  };
}

function hosted({ vendor, endpoint }: HostedEngine<{ name: string }>): string {
  return `${endpointName(endpoint)} (${vendor.name})`;
}

function localSpeechToText({ speechModelDir }: ProviderConfig): string {
  const { name, hasModel } = localSttVendor(speechModelDir);
  if (speechModelDir === null) return `${name} (local)`;
  return `${name} (local${hasModel ? ', model in' : '; no model in'} ${speechModelDir}/stt)`;
}

function localLanguageModel(): string {
  const [{ name } = { name: '' }] = localLlmVendors();
  return `${name} (local, a script); ${DEFAULT_MODEL} maps to it until ${urlVariables(hostedLlmVendors())} is set`;
}

function textToSpeech({ textToSpeech: endpoint, speechModelDir }: ProviderConfig): string[] {
  const voices = speechModelDir === null ? 0 : listSherpaOnnxVoices(speechModelDir).length;
  return [
    ...(endpoint ? [endpointName(endpoint)] : []),
    ...(voices > 0 ? [`sherpa-onnx (local, ${voices} in ${speechModelDir ?? ''}/tts)`] : []),
    'flite (local, English)',
    'espeak-ng (local)',
  ];
}
