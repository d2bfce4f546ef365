import { MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ } from '@calls/audio/resampler';
import { WavStreamReader } from '@calls/audio/wav-stream-reader';
import { AppError } from '@calls/foundation/errors';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { ClipPiece } from './clip-audio.ts';

/** One minute of stereo at 48 kHz takes 11 MiB. */
const MAX_CLIP_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 3;

/** Streams the audio of a WAV file. Throws an AppError if there is none. */
export async function* streamClip(
  outbound: OutboundHttp,
  url: string,
  signatureHeaders: Readonly<Record<string, string>>,
): AsyncGenerator<ClipPiece, void, undefined> {
  const response = await outbound.request({
    method: 'GET',
    url,
    headers: { accept: 'audio/wav, audio/x-wav, audio/*', ...signatureHeaders },
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_CLIP_BYTES,
    maxRedirects: MAX_REDIRECTS,
  });
  if (response.status !== 200) {
    response.close();
    throw new AppError('clip_unavailable', `the server responded with status ${response.status}`);
  }
  const reader = new WavStreamReader();
  for await (const chunk of response.body) {
    const samples = reader.push(chunk);
    if (reader.format && samples.length > 0) {
      yield { samples, sampleRateHz: supported(reader.format.sampleRateHz) };
    }
  }
}

function supported(rateHz: number): number {
  if (rateHz >= MIN_SAMPLE_RATE_HZ && rateHz <= MAX_SAMPLE_RATE_HZ) return rateHz;
  const range = `${MIN_SAMPLE_RATE_HZ} to ${MAX_SAMPLE_RATE_HZ} Hz`;
  throw new AppError('invalid_wav', `its sample rate is ${rateHz} Hz, not one of ${range}`);
}
