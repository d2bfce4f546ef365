import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { basename } from 'node:path';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SherpaOnnxSpec } from '../../local-models/messages.ts';
import {
  findModelFiles,
  isFolder,
  listed,
  onnxFile,
  otherFile,
  type ModelFiles,
} from '../../local-models/model-files.ts';

/** Adapter name for errors, and key in the registry. */
export const SHERPA_ONNX_STT = 'sherpa-onnx-stt';

const EXPECTED =
  'expected tokens.txt and one of: encoder, decoder and joiner .onnx (a transducer that is not a streaming one); ' +
  'encoder and decoder .onnx (Whisper); one model .onnx (SenseVoice, or with paraformer or ctc in a name)';

/** Detects the kind of model in `dir` by its file names. Throws a ProviderError that names the folder and what is missing. */
export function describeSpeechModel(dir: string): SherpaOnnxSpec {
  const files = findModelFiles(dir);
  if (!files) throw unavailable(dir, isFolder(dir) ? 'holds no .onnx file' : 'does not exist');
  const tokens = otherFile(files, /tokens\.txt$/);
  if (tokens === undefined) throw unavailable(files.dir, `has no tokens.txt (it has ${listed(files.names)})`);
  const model = modelOf(files);
  if (!model) throw unavailable(files.dir, `holds no known kind of model (it has ${listed(files.names)})`);
  return {
    engine: 'sherpa-onnx',
    role: 'stt',
    config: {
      featConfig: { sampleRate: SPEECH_RATE_HZ, featureDim: 80 },
      modelConfig: { ...model, tokens, numThreads: 1, provider: 'cpu', debug: 0 },
    },
  };
}

function modelOf(files: ModelFiles): object | undefined {
  const encoder = onnxFile(files, /encoder/);
  const decoder = onnxFile(files, /decoder/);
  const joiner = onnxFile(files, /joiner/);
  if (encoder !== undefined && decoder !== undefined) {
    if (joiner === undefined) return { whisper: { encoder, decoder, task: 'transcribe' } };
    if (/streaming|chunk-\d/.test(`${basename(files.dir)} ${basename(encoder)}`)) {
      throw unavailable(files.dir, 'holds a streaming transducer');
    }
    return { transducer: { encoder, decoder, joiner } };
  }
  const model = onnxFile(files, /model/);
  if (model === undefined) return undefined;
  const names = `${basename(files.dir)} ${basename(model)}`.toLowerCase();
  if (names.includes('paraformer')) return { paraformer: { model } };
  if (names.includes('ctc') && names.includes('zipformer')) return { zipformerCtc: { model } };
  if (names.includes('ctc')) return { nemoCtc: { model } };
  return { senseVoice: { model, language: '', useInverseTextNormalization: 1 } };
}

function unavailable(dir: string, reason: string): ProviderError {
  return new ProviderError(SHERPA_ONNX_STT, 'unavailable', `${dir} ${reason}; ${EXPECTED}`);
}
