import { useEffect, useState } from 'react';
import { ApiProblem } from '../../../../api/api-problem.ts';
import { readPeaks } from './read-recording.ts';
import type { Peaks } from './wav-peaks.ts';

export type PeaksState =
  | { kind: 'loading' }
  /** The first `filled` peaks are known. The object stays the same while they grow. */
  | { kind: 'loaded'; peaks: Peaks; durationMs: number; filled: number }
  | { kind: 'none' }
  | { kind: 'failed'; error: unknown };

/** The peaks of a call's recording as they load. Null: nothing to load. */
export function usePeaks(callId: string | null): PeaksState & { retry: () => void } {
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<PeaksState>({ kind: 'loading' });
  useEffect(() => {
    if (callId === null) return;
    const abort = new AbortController();
    readPeaks(
      callId,
      (peaks) => setState({ kind: 'loaded', peaks, durationMs: peaks.durationMs, filled: peaks.filled }),
      abort.signal,
    ).catch((error: unknown) => {
      if (abort.signal.aborted) return;
      const isNone = error instanceof ApiProblem && error.status === 404;
      setState(isNone ? { kind: 'none' } : { kind: 'failed', error });
    });
    return () => abort.abort();
  }, [callId, tries]);
  const retry = (): void => {
    setState({ kind: 'loading' });
    setTries(tries + 1);
  };
  return callId === null ? { kind: 'none', retry } : { ...state, retry };
}
