import { problemOf } from '../../../../api/api-problem.ts';
import { CONSOLE_HEADERS } from '../../../../api/client.ts';
import { HEADER_BYTES, PeakBuilder, readFormat } from './wav-peaks.ts';

/** About 15 seconds of audio, which are converted to peaks within a few milliseconds and then released. */
const RANGE_BYTES = 1024 * 1024;
const MAX_TRIES = 3;

export const recordingUrl = (callId: string): string => `/api/calls/${callId}/recording`;

/**
 * Reads a recording from start to end and reports the growing peaks after every range. Throws an ApiProblem if there is
 * no recording.
 */
export async function readPeaks(
  callId: string,
  onProgress: (peaks: PeakBuilder) => void,
  signal: AbortSignal,
): Promise<void> {
  let builder: PeakBuilder | null = null;
  let at = 0;
  let totalBytes = RANGE_BYTES;
  while (at < totalBytes) {
    const { bytes, of } = await readRange(recordingUrl(callId), at, signal);
    totalBytes = of;
    builder ??= new PeakBuilder(readFormat(bytes, totalBytes));
    const from = at === 0 ? HEADER_BYTES : 0;
    builder.add(new Int16Array(bytes, from, Math.floor((bytes.byteLength - from) / 2)));
    if (bytes.byteLength === 0) return;
    at += bytes.byteLength;
    onProgress(builder);
  }
}

/** Retries a failed range. Ranges that were already read are not read again. */
async function readRange(
  url: string,
  at: number,
  signal: AbortSignal,
): Promise<{ bytes: ArrayBuffer; of: number }> {
  for (let tried = 1; ; tried += 1) {
    try {
      const response = await fetch(url, {
        headers: { ...CONSOLE_HEADERS, Range: `bytes=${at}-${at + RANGE_BYTES - 1}` },
        signal,
      });
      if (!response.ok) throw problemOf(response, await response.json().catch(() => undefined));
      const bytes = await response.arrayBuffer();
      const of = Number(/\/(\d+)$/u.exec(response.headers.get('Content-Range') ?? '')?.[1]);
      return { bytes, of: Number.isFinite(of) ? of : bytes.byteLength };
    } catch (thrown) {
      // `fetch` reports a failed connection as a TypeError.
      if (signal.aborted || !(thrown instanceof TypeError) || tried === MAX_TRIES) throw thrown;
    }
  }
}

/** Reads the whole recording, for browsers with players that cannot authenticate with the session cookie. */
export async function readWhole(callId: string): Promise<Blob> {
  const response = await fetch(recordingUrl(callId), { headers: CONSOLE_HEADERS });
  if (!response.ok) throw problemOf(response, await response.json().catch(() => undefined));
  return response.blob();
}
