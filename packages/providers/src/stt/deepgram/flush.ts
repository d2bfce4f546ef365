import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { samplesFromMs } from '@calls/audio/pcm';
import type { ListenResult } from './utterance-words.ts';

/** Settled results may end this much before the end of the audio. */
const TAIL_SAMPLES = samplesFromMs(40, SPEECH_RATE_HZ);
/** A Finalize after less audio than this may get no response. The provider does not document the limit. */
const NEGLIGIBLE_SAMPLES = samplesFromMs(200, SPEECH_RATE_HZ);
const NEGLIGIBLE_LIMIT_MS = 300;
const LITTLE_SAMPLES = samplesFromMs(1000, SPEECH_RATE_HZ);
const LITTLE_LIMIT_MS = 1000;

/** Recognition progress on one connection. Positions count from its first sample. */
export interface FlushState {
  sentSamples: number;
  /** End of the audio with settled results. */
  coveredSamples: number;
  /** Position at which the last Finalize was sent; null if there is none or it is done. */
  flushAtSamples: number | null;
  /** Number of Finalizes without a response. */
  pendingFinalizes: number;
}

export const NOTHING_SENT: FlushState = {
  sentSamples: 0,
  coveredSamples: 0,
  flushAtSamples: null,
  pendingFinalizes: 0,
};

/** Whether the results for all sent audio are settled. */
export function isFlushed(state: FlushState): boolean {
  return state.flushAtSamples === null && state.coveredSamples >= state.sentSamples;
}

export function afterSending(state: FlushState, samples: number): FlushState {
  return { ...state, sentSamples: state.sentSamples + samples };
}

export function afterFinalize(state: FlushState): FlushState {
  return { ...state, flushAtSamples: state.sentSamples, pendingFinalizes: state.pendingFinalizes + 1 };
}

/** How long to wait for a response to the last Finalize if it may get none; null to wait without limit. */
export function flushLimitMs({ flushAtSamples, coveredSamples }: FlushState): number | null {
  if (flushAtSamples === null) return null;
  const leftSamples = flushAtSamples - coveredSamples;
  if (leftSamples < NEGLIGIBLE_SAMPLES) return NEGLIGIBLE_LIMIT_MS;
  return leftSamples < LITTLE_SAMPLES ? LITTLE_LIMIT_MS : null;
}

/** Marks the last Finalize as done. */
export function afterFlush(state: FlushState): FlushState {
  const coveredSamples = Math.max(state.coveredSamples, state.flushAtSamples ?? 0);
  return { ...state, coveredSamples, flushAtSamples: null };
}

/**
 * `flushed`: the last Finalize is done, because all Finalizes have responses, or because settled results reach its
 * position. A response to an earlier Finalize alone does not count.
 */
export function afterResult(
  state: FlushState,
  { isSettled, isFromFinalize, endSamples }: ListenResult,
): { state: FlushState; flushed: boolean } {
  if (!isSettled) return { state, flushed: false };
  const next = {
    ...state,
    coveredSamples: Math.max(state.coveredSamples, endSamples),
    pendingFinalizes: Math.max(0, state.pendingFinalizes - (isFromFinalize ? 1 : 0)),
  };
  if (next.flushAtSamples === null) return { state: next, flushed: false };
  const allDone = isFromFinalize && next.pendingFinalizes === 0;
  const flushed = allDone || next.flushAtSamples - endSamples <= TAIL_SAMPLES;
  return { state: flushed ? afterFlush(next) : next, flushed };
}
