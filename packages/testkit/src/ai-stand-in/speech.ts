import { buildWavHeader } from '@calls/audio/wav-header';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import type { TtsSettings } from './behaviour.ts';
import { parseJson, type ServedExchange } from './exchange.ts';
import { SPEECH_RATE_HZ } from './speech-recording.ts';

const speechRequest = compileValidator(
  'speech request',
  Type.Object({
    model: Type.String({ minLength: 1 }),
    voice: Type.String({ minLength: 1 }),
    input: Type.String({ minLength: 1, maxLength: 4096 }),
    response_format: Type.Enum(['pcm', 'wav']),
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
  }),
);

const SHORTEST_MS = 300;
/** 250 ms and one byte: like real servers, not a whole number of samples. */
const PIECE_BYTES = (SPEECH_RATE_HZ / 4) * 2 + 1;

/** Duration of a sentence's audio. */
function spokenSamples(text: string, msPerCharacter: number, speed = 1): number {
  const ms = Math.max(SHORTEST_MS, text.length * msPerCharacter) / speed;
  return Math.round((ms * SPEECH_RATE_HZ) / 1000);
}

/**
 * `POST /v1/audio/speech`: returns `recording` up to the duration of the sentence, paced by the real-time
 * factor.
 */
export async function handleSpeech(
  exchange: ServedExchange,
  settings: TtsSettings,
  recording: Buffer,
): Promise<void> {
  const request = speechRequest.parse(parseJson(exchange.body));
  exchange.summary.asked = {
    model: request.model,
    voice: request.voice,
    input: request.input,
    responseFormat: request.response_format,
    speed: request.speed ?? 1,
  };
  if (settings.behaviour === 'garbage') {
    await exchange.wait(settings.firstAudioMs);
    exchange.head(200, 'text/html');
    exchange.write('<html>It works!</html>');
    exchange.end();
    return;
  }
  exchange.head(200, request.response_format === 'wav' ? 'audio/wav' : 'audio/pcm');
  await exchange.wait(settings.firstAudioMs);
  if (settings.behaviour === 'empty') {
    exchange.end();
    return;
  }
  if (request.response_format === 'wav')
    exchange.write(Buffer.from(buildWavHeader({ sampleRateHz: SPEECH_RATE_HZ })));
  const totalBytes = spokenSamples(request.input, settings.msPerCharacter, request.speed) * 2;
  const startedAtMs = performance.now();
  for (let sentBytes = 0; sentBytes < totalBytes;) {
    const from = sentBytes % recording.length;
    const piece = recording.subarray(from, from + Math.min(PIECE_BYTES, totalBytes - sentBytes));
    exchange.write(piece);
    sentBytes += piece.length;
    const dueMs = (sentBytes / 2 / SPEECH_RATE_HZ) * 1000 * settings.realTimeFactor;
    await exchange.wait(dueMs - (performance.now() - startedAtMs));
    if (sentBytes * 2 < totalBytes) continue;
    if (settings.behaviour === 'cut') {
      exchange.breakConnection();
      return;
    }
    if (settings.behaviour === 'stall') return exchange.hold();
  }
  exchange.end();
}
