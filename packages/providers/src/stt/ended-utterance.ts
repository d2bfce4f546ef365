import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { msFromSamples } from '@calls/audio/pcm';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Logger } from '@calls/foundation/logger';
import type { UtteranceBuffer } from './utterance-buffer.ts';

/** The reason with which running and later `finalize` calls of a closed utterance reject. */
export function closeReason(provider: string, signal: AbortSignal): Error {
  if (signal.aborted) return signal.reason as Error;
  return new ProviderError(provider, 'superseded', 'the utterance was closed');
}

export function warnOfDropped(provider: string, audio: UtteranceBuffer, log: Logger): void {
  const droppedMs = msFromSamples(audio.droppedSamples, SPEECH_RATE_HZ);
  if (droppedMs > 0) log.warn({ provider, droppedMs }, 'utterance too long; dropped its end');
}
