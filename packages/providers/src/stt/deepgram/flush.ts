import { samplesFromMs } from '@calls/audio/pcm';
import { SAMPLE_RATE_HZ } from './wire.ts';
import type { ListenResult } from './utterance-words.ts';

/** What the provider may leave at the end of audio that it has finished with. */
const TAIL_SAMPLES = samplesFromMs(40, SAMPLE_RATE_HZ);
/** A Finalize with little audio behind it may stay without an answer; how little is not said. */
const NEGLIGIBLE_SAMPLES = samplesFromMs(200, SAMPLE_RATE_HZ);
const NEGLIGIBLE_LIMIT_MS = 300;
const LITTLE_SAMPLES = samplesFromMs(1000, SAMPLE_RATE_HZ);
const LITTLE_LIMIT_MS = 1000;

/** How far the recognition of one connection has come. Positions count from its first sample. */
export interface FlushState {
  sentSamples: number;
  /** Audio whose words are final. */
  coveredSamples: number;
  /** Where the last Finalize was sent; null: none, or it is done. */
  flushAtSamples: number | null;
  /** Finalizes without an answer so far. */
  unanswered: number;
}

export const NOTHING_SENT: FlushState = {
  sentSamples: 0,
  coveredSamples: 0,
  flushAtSamples: null,
  unanswered: 0,
};

/** Whether the words of all that was sent are final. */
export function isFlushed(state: FlushState): boolean {
  return state.flushAtSamples === null && state.coveredSamples >= state.sentSamples;
}

export function afterSending(state: FlushState, samples: number): FlushState {
  return { ...state, sentSamples: state.sentSamples + samples };
}

export function afterFinalize(state: FlushState): FlushState {
  return { ...state, flushAtSamples: state.sentSamples, unanswered: state.unanswered + 1 };
}

/** How long to wait for the answer to the last Finalize where none may come; null: until it does. */
export function unansweredLimitMs({ flushAtSamples, coveredSamples }: FlushState): number | null {
  if (flushAtSamples === null) return null;
  const leftSamples = flushAtSamples - coveredSamples;
  if (leftSamples < NEGLIGIBLE_SAMPLES) return NEGLIGIBLE_LIMIT_MS;
  return leftSamples < LITTLE_SAMPLES ? LITTLE_LIMIT_MS : null;
}

/** Takes the last Finalize as done. */
export function afterFlush(state: FlushState): FlushState {
  const coveredSamples = Math.max(state.coveredSamples, state.flushAtSamples ?? 0);
  return { ...state, coveredSamples, flushAtSamples: null };
}

/**
 * `flushed`: the last Finalize is done. That is when all Finalizes are answered, or when what is final reaches the place
 * where the last one was sent: an answer to an earlier one does not.
 */
export function afterResult(
  state: FlushState,
  { isFinal, isFromFinalize, endSamples }: ListenResult,
): { state: FlushState; flushed: boolean } {
  if (!isFinal) return { state, flushed: false };
  const next = {
    ...state,
    coveredSamples: Math.max(state.coveredSamples, endSamples),
    unanswered: Math.max(0, state.unanswered - (isFromFinalize ? 1 : 0)),
  };
  if (next.flushAtSamples === null) return { state: next, flushed: false };
  const allAnswered = isFromFinalize && next.unanswered === 0;
  const flushed = allAnswered || next.flushAtSamples - endSamples <= TAIL_SAMPLES;
  return { state: flushed ? afterFlush(next) : next, flushed };
}
