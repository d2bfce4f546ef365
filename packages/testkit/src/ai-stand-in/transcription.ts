import { levelDbfs } from '@calls/audio/pcm';
import { parseWav, type WavAudio } from '@calls/audio/wav';
import { WavError } from '@calls/audio/wav-header';
import type { SttSettings } from './behaviour.ts';
import { BadRequest, type ServedExchange } from './exchange.ts';
import type { Replies } from './replies.ts';

/** Level below which audio counts as silence. */
const SILENCE_DBFS = -60;
const DEFAULT_TEXT = 'hello there';

/** `POST /v1/audio/transcriptions`. */
export async function handleTranscription(
  exchange: ServedExchange,
  settings: SttSettings,
  replies: Replies<string>,
): Promise<void> {
  const form = parseForm(exchange.body, exchange.request.headers['content-type'] ?? '');
  const audio = readAudio(form.get('file'));
  const field = (name: string): string | null => form.get(name)?.toString('utf8') ?? null;
  if (field('model') === null) throw new BadRequest('model is required');
  exchange.summary.asked = {
    model: field('model'),
    language: field('language'),
    prompt: field('prompt'),
    responseFormat: field('response_format'),
    temperature: field('temperature'),
    sampleRateHz: audio.sampleRateHz,
    audioMs: (audio.samples.length * 1000) / audio.sampleRateHz,
  };
  const silent = levelDbfs(audio.samples) < SILENCE_DBFS;
  const text = silent ? '' : (replies.next(settings.replies) ?? DEFAULT_TEXT);
  await exchange.wait(settings.delayMs);
  switch (settings.behaviour) {
    case 'garbage':
      exchange.json(200, { text: ['not', 'a', 'string'] });
      break;
    case 'empty':
      exchange.json(200, { text: '' });
      break;
    case 'cut':
    case 'stall':
      exchange.head(200, 'application/json');
      exchange.write(JSON.stringify({ text }).slice(0, 6));
      if (settings.behaviour === 'stall') await exchange.hold();
      else exchange.breakConnection();
      break;
    default:
      exchange.json(200, { text });
  }
}

function readAudio(file: Buffer | undefined): WavAudio {
  if (!file) throw new BadRequest('file is required');
  try {
    return parseWav(file);
  } catch (thrown) {
    if (thrown instanceof WavError) throw new BadRequest(thrown.message);
    throw thrown;
  }
}

/** The parts of a multipart form by name, as views of `body`. */
function parseForm(body: Buffer, contentType: string): Map<string, Buffer> {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) throw new BadRequest('the body is not a multipart form');
  const parts = new Map<string, Buffer>();
  const delimiter = Buffer.from(`--${boundary}`);
  let at = body.indexOf(delimiter);
  while (at >= 0) {
    const headAt = at + delimiter.length + 2;
    const headEnd = body.indexOf('\r\n\r\n', headAt);
    const next = body.indexOf(Buffer.concat([Buffer.from('\r\n'), delimiter]), headAt);
    if (headEnd < 0 || next < 0) break;
    const name = /name="([^"]*)"/.exec(body.toString('latin1', headAt, headEnd))?.[1];
    if (name !== undefined) parts.set(name, body.subarray(headEnd + 4, next));
    at = next + 2;
  }
  return parts;
}
