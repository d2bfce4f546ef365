import {
  SPEECH_RATE_HZ,
  type Transcript,
  type TranscriptionOptions,
} from '@calls/engine-ports/speech-to-text';
import { sendForJson } from '../../http/json-request.ts';
import { languageCode } from '../../language-code.ts';
import { recognizedWords } from '../recognized-words.ts';
import type { HostedSttOptions } from '../stt-vendor.ts';
import { transcriptionResponse, transcriptionForm } from './wire.ts';

/** Adapter name for errors. */
export const PROVIDER = 'openai-compatible-stt';
/** One minute of speech has about 2 kB of text. */
const MAX_RESPONSE_BYTES = 256 * 1024;

/** Transcribes `pcm` with one request. `pcm` must not change until this settles. */
export async function transcribe(
  options: HostedSttOptions,
  pcm: Uint8Array,
  { languageHint, keyTerms = [] }: TranscriptionOptions,
  signal: AbortSignal,
): Promise<Transcript> {
  const { endpoint, limits } = options;
  const language = languageCode(languageHint);
  const form = transcriptionForm({
    pcm,
    sampleRateHz: SPEECH_RATE_HZ,
    model: options.model,
    language,
    keyTerms,
  });
  const answer = await sendForJson(options, {
    provider: PROVIDER,
    endpoint,
    path: '/audio/transcriptions',
    headers: { 'content-type': form.contentType },
    body: form.body,
    response: transcriptionResponse,
    confidential: [],
    connectTimeoutMs: limits.connectTimeoutMs,
    timeoutMs: limits.timeoutMs,
    timeoutMessage: `no transcript within ${limits.timeoutMs} ms`,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal,
  });
  return { text: recognizedWords(answer.text) };
}
