import { ProviderError } from '@calls/engine-ports/provider-error';
import type { HostedLlmVendor } from '@calls/providers/llm/llm-vendor';

/** A fictitious LLM vendor: one POST with the messages; the response is text. */
export const oracle: HostedLlmVendor = {
  name: 'Oracle',
  endpoint: { prefix: 'LLM_ORACLE', defaultModel: 'delphi', server: "a server with Oracle's protocol" },
  create: ({ endpoint: { baseUrl, apiKey }, model, limits }) => ({
    acceptsAudio: () => false,
    async *respond({ messages }, signal) {
      const response = await fetch(`${baseUrl}/ask`, {
        method: 'POST',
        headers: { authorization: apiKey ?? '' },
        body: JSON.stringify({ model, messages }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(limits.totalTimeoutMs)]),
      });
      if (!response.ok) throw new ProviderError('oracle', 'refused', `status ${response.status}`);
      yield { type: 'text', text: await response.text() };
    },
  }),
};
