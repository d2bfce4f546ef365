import { deepgram } from './deepgram/vendor.ts';
import { moonshine } from './moonshine/vendor.ts';
import { openAiCompatible } from './openai-compatible/vendor.ts';
import { sherpaOnnx } from './sherpa-onnx/vendor.ts';
import type { HostedSttVendor, LocalSttVendor, SttVendor } from './stt-vendor.ts';

/** Every STT vendor. Calls use the first configured hosted one, or else the first local one with a model. */
export const STT_VENDORS: readonly SttVendor[] = [deepgram, openAiCompatible, sherpaOnnx, moonshine];

export function hostedSttVendors(): HostedSttVendor[] {
  return STT_VENDORS.filter((vendor) => vendor.endpoint !== null);
}

/** The selected local vendor. Reads `modelDir`. */
export function localSttVendor(modelDir: string | null): LocalSttVendor {
  const vendor = STT_VENDORS.filter((each) => each.endpoint === null).find(
    ({ hasModel }) => !hasModel || (modelDir !== null && hasModel(modelDir)),
  );
  if (!vendor) throw new Error('STT_VENDORS must have a local vendor that needs no model');
  return vendor;
}
