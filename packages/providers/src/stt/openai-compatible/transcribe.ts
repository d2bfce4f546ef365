import { ProviderError } from '@calls/engine-ports/provider-error';
import {
  SPEECH_RATE_HZ,
  type Transcript,
  type TranscriptionOptions,
} from '@calls/engine-ports/speech-to-text';
import { authorization, endpointUrl } from '../../http/endpoint.ts';
import { HttpExchange, type Deadline } from '../../http/exchange.ts';
import { parseFrame } from '../../http/json-frame.ts';
import { languageCode } from '../../language-code.ts';
import { recognizedWords } from '../recognized-words.ts';
import type { HostedSttOptions } from '../stt-vendor.ts';
import { transcriptionAnswer, transcriptionForm } from './wire.ts';

/** Adapter name for errors. */
export const PROVIDER = 'openai-compatible-stt';
/** One minute of speech has about 2 kB of text. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Transcribes `pcm` with one request. `pcm` must not change until this settles. */
export async function transcribe(
  options: HostedSttOptions,
  pcm: Uint8Array,
  { languageHint, keyTerms = [] }: TranscriptionOptions,
  signal: AbortSignal,
): Promise<Transcript> {
  const { endpoint, limits, clock } = options;
  const language = languageCode(languageHint);
  const form = transcriptionForm({
    pcm,
    sampleRateHz: SPEECH_RATE_HZ,
    model: options.model,
    language,
    keyTerms,
  });
  const confidential = [endpoint.apiKey ?? ''];
  const deadline: Deadline = {
    atMs: clock.nowMs() + limits.timeoutMs,
    message: `no transcript within ${limits.timeoutMs} ms`,
  };
  const exchange = new HttpExchange(options, {
    provider: PROVIDER,
    url: endpointUrl(endpoint, '/audio/transcriptions'),
    headers: { 'content-type': form.contentType, accept: 'application/json', ...authorization(endpoint) },
    body: form.body,
    confidential,
    connectTimeoutMs: limits.connectTimeoutMs,
    signal,
  });
  try {
    await exchange.head(deadline);
    const answer = parseFrame(PROVIDER, transcriptionAnswer, await readAll(exchange, deadline), confidential);
    return { text: recognizedWords(answer.text) };
  } finally {
    exchange.close();
  }
}

async function readAll(exchange: HttpExchange, deadline: Deadline): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let part = await exchange.read(deadline); part !== null; part = await exchange.read(deadline)) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new ProviderError(PROVIDER, 'malformed', 'the response is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
