import type { HostedLlmVendor } from '../llm-vendor.ts';
import { createOpenAiCompatibleLanguageModel } from './adapter.ts';

export const openAiCompatible: HostedLlmVendor = {
  name: 'OpenAI-compatible',
  endpoint: {
    prefix: 'LLM',
    fallbackPrefix: 'LLM_FALLBACK',
    defaultModel: null,
    server: 'an OpenAI-compatible server, up to and including `/v1`',
  },
  create: createOpenAiCompatibleLanguageModel,
};
