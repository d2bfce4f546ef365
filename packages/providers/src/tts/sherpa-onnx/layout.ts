import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { CatalogueVoice } from '../../config/catalogue-voice.ts';
import type { SherpaOnnxSpec } from '../../local-models/messages.ts';
import { findModelFiles, isFolder, listed, onnxFile, otherFile } from '../../local-models/model-files.ts';

/** Adapter name for errors, and key in the registry. */
export const SHERPA_ONNX_TTS = 'sherpa-onnx';

const EXPECTED =
  'expected one model .onnx, tokens.txt and the folder espeak-ng-data or lexicon.txt (VITS, Piper), and with voices.bin Kokoro';

/** Detects the kind of voice in `dir` by its file names. Throws a ProviderError that names the folder and what is missing. */
export function describeVoiceModel(dir: string): SherpaOnnxSpec {
  const files = findModelFiles(dir);
  if (!files) throw unavailable(dir, isFolder(dir) ? 'holds no .onnx file' : 'does not exist');
  const has = `(it has ${listed(files.names)})`;
  const model = onnxFile(files, /./);
  const tokens = otherFile(files, /^tokens\.txt$/);
  if (model === undefined || tokens === undefined) throw unavailable(files.dir, `has no tokens.txt ${has}`);
  const voices = otherFile(files, /^voices\.bin$/);
  const dataDir = otherFile(files, /^espeak-ng-data$/);
  const lexicon = otherFile(files, /^lexicon\.txt$/);
  if (dataDir === undefined && lexicon === undefined) {
    throw unavailable(files.dir, `has neither espeak-ng-data nor lexicon.txt ${has}`);
  }
  const common = {
    model,
    tokens,
    ...(dataDir !== undefined && { dataDir }),
    ...(lexicon !== undefined && { lexicon }),
  };
  const described = voices === undefined ? { vits: common } : { kokoro: { ...common, voices } };
  return {
    engine: 'sherpa-onnx',
    role: 'tts',
    config: {
      model: { ...described, numThreads: 1, provider: 'cpu', debug: 0 },
      maxNumSentences: 1,
    },
  };
}

/** One entry per folder in `<modelDir>/tts`. Loading errors appear when the voice speaks. */
export function listSherpaOnnxVoices(modelDir: string): CatalogueVoice[] {
  const dir = join(modelDir, 'tts');
  if (!isFolder(dir)) return [];
  return readdirSync(dir)
    .filter((name) => VOICE_NAME.test(name) && isFolder(join(dir, name)))
    .sort()
    .map((name) => ({
      key: `sherpa-onnx-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
      name: name.slice(0, 40),
      description: 'Voice of the local engine, sherpa-onnx',
      primaryLanguage: languageIn(name),
      languageLabel: null,
      engine: SHERPA_ONNX_TTS,
      settings: { voice: name },
    }));
}

/** Allowed folder names of voices, which cannot lead to another folder. */
export const VOICE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The language in Piper's folder names: `vits-piper-en_US-amy-low`. */
function languageIn(name: string): string | null {
  const found = /(?:^|-)(?<language>[a-z]{2})_(?<region>[A-Z]{2})(?:-|$)/.exec(name)?.groups;
  return found ? `${String(found['language'])}-${String(found['region'])}` : null;
}

function unavailable(dir: string, reason: string): ProviderError {
  return new ProviderError(SHERPA_ONNX_TTS, 'unavailable', `${dir} ${reason}; ${EXPECTED}`);
}
