import { ProviderError } from '@calls/engine-ports/provider-error';
import { BufferedTranscription } from '@calls/providers/stt/buffered-transcription';
import type { HostedSttVendor } from '@calls/providers/stt/stt-vendor';

/** A fictitious STT vendor: one POST with the PCM of an utterance; the response is its transcript. */
export const parrot: HostedSttVendor = {
  name: 'Parrot',
  endpoint: { prefix: 'STT_PARROT', defaultModel: 'polly', server: "a server with Parrot's protocol" },
  create: ({ endpoint: { baseUrl, apiKey }, model, limits, log }) => ({
    open: (_options, signal) =>
      new BufferedTranscription({
        provider: 'parrot',
        maxUtteranceMs: limits.maxUtteranceMs,
        log,
        signal,
        async transcribe(pcm, requestSignal) {
          const response = await fetch(`${baseUrl}/repeat?model=${model}`, {
            method: 'POST',
            headers: { authorization: apiKey ?? '' },
            body: Buffer.from(pcm),
            signal: AbortSignal.any([requestSignal, AbortSignal.timeout(limits.timeoutMs)]),
          });
          if (!response.ok) throw new ProviderError('parrot', 'refused', `status ${response.status}`);
          return { text: await response.text() };
        },
      }),
  }),
};
