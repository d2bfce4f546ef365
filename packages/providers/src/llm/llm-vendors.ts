import type { HostedLlmVendor, LlmVendor, LocalLlmVendor } from './llm-vendor.ts';
import { openAiCompatible } from './openai-compatible/vendor.ts';
import { svcLocal } from './svc-local/vendor.ts';

/** Every LLM vendor. The default model is the first configured hosted one, or else the first local one. */
const LLM_VENDORS: readonly LlmVendor[] = [openAiCompatible, svcLocal];

export function hostedLlmVendors(): HostedLlmVendor[] {
  return LLM_VENDORS.filter((vendor) => vendor.endpoint !== null);
}

export function localLlmVendors(): LocalLlmVendor[] {
  return LLM_VENDORS.filter((vendor) => vendor.endpoint === null);
}
