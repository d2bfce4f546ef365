import { join } from 'node:path';
import { toError } from '@calls/foundation/errors';
import { findModelFiles } from '../../local-models/model-files.ts';
import type { LocalSttVendor } from '../stt-vendor.ts';
import { createSherpaOnnxSpeechToText } from './adapter.ts';

export const sherpaOnnx: LocalSttVendor = {
  name: 'sherpa-onnx',
  endpoint: null,
  hasModel: (modelDir) => findModelFiles(join(modelDir, 'stt')) !== undefined,
  create({ modelDir, timeoutMs, clock, log }) {
    const engine = createSherpaOnnxSpeechToText({ modelDir: modelDir ?? '', timeoutMs, clock, log });
    // Loads the model before the first call. Every `finalize` also reports an unusable model.
    engine
      .load()
      .catch((thrown: unknown) => log.error({ err: toError(thrown) }, 'failed to load speech model'));
    return engine;
  },
};
