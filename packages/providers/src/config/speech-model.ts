import { join } from 'node:path';
import { findModelFiles } from '../sherpa-onnx/model-files.ts';
import type { ProviderConfig } from './provider-config.ts';

/** Whether the user has fetched a model for speech to text: it is in the folder `stt` of SPEECH_MODEL_DIR. */
export function hasSpeechToTextModel({ speechModelDir }: Pick<ProviderConfig, 'speechModelDir'>): boolean {
  return speechModelDir !== null && findModelFiles(join(speechModelDir, 'stt')) !== undefined;
}
