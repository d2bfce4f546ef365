import { problemOf } from '../../../../api/api-problem.ts';
import { CONSOLE_HEADERS } from '../../../../api/client.ts';
import { HEADER_BYTES, PeakBuilder, readFormat } from './wav-peaks.ts';

/** A quarter of a minute of sound: turned into peaks within a millisecond or two, then let go. */
const RANGE_BYTES = 1024 * 1024;
const MAX_TRIES = 3;

export const recordingUrl = (callId: string): string => `/api/calls/${callId}/recording`;

/**
 * Reads a recording from its beginning to its end and tells of the peaks after every range; they go on growing. Throws an
 * ApiProblem where there is none.
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
      // A TypeError is fetch's word for a connection that failed.
      if (signal.aborted || !(thrown instanceof TypeError) || tried === MAX_TRIES) throw thrown;
    }
  }
}

/** The whole of it, for browsers whose players can't ask in the name of the session. */
export async function readWhole(callId: string): Promise<Blob> {
  const response = await fetch(recordingUrl(callId), { headers: CONSOLE_HEADERS });
  if (!response.ok) throw problemOf(response, await response.json().catch(() => undefined));
  return response.blob();
}
