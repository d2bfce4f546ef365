import { setTimeout as after } from 'node:timers/promises';
import { bytesFromSamples, samplesFromBytes } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import { loadSpeechRecording, SPEECH_RATE_HZ } from '@calls/testkit/ai-stand-in/speech-recording';
import type { Settings } from './behaviour.ts';
import type { SeenRequest } from './request-log.ts';

const MS_PER_CHARACTER = 60;
const SHORTEST_MS = 300;
const PIECE_MS = 250;

export interface SpokenWord {
  word: string;
  startMs: number;
  endMs: number;
}

/** A piece of a response: its samples and the words that end in it. */
export interface SpokenPiece {
  pcm: Buffer;
  words: SpokenWord[];
  startMs: number;
}

const recordings = new Map<number, Buffer>();

async function recordingAt(rateHz: number): Promise<Buffer> {
  const known = recordings.get(rateHz);
  if (known) return known;
  const recording = await loadSpeechRecording();
  const resampler = createResampler(SPEECH_RATE_HZ, rateHz);
  const samples = resampler.process(samplesFromBytes(recording)).slice();
  resampler.close();
  const bytes = Buffer.from(bytesFromSamples(samples));
  recordings.set(rateHz, bytes);
  return bytes;
}

export function spokenMs(text: string, speed = 1): number {
  return Math.max(SHORTEST_MS, text.length * MS_PER_CHARACTER) / speed;
}

/** Distributes the words of a text over its duration in proportion to their lengths. */
export function spokenWords(text: string, durationMs: number): SpokenWord[] {
  const msPerCharacter = durationMs / text.length;
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    word,
    startMs: index * msPerCharacter,
    endMs: (index + word.length) * msPerCharacter,
  }));
}

export async function speech(text: string, rateHz: number, speed?: number): Promise<SpokenPiece[]> {
  const recording = await recordingAt(rateHz);
  const durationMs = spokenMs(text, speed);
  const words = spokenWords(text, durationMs);
  const bytesOf = (ms: number): number => Math.round((ms * rateHz) / 1000) * 2;
  const pieces: SpokenPiece[] = [];
  for (let startMs = 0; startMs < durationMs; startMs += PIECE_MS) {
    const endMs = Math.min(durationMs, startMs + PIECE_MS);
    const from = bytesOf(startMs) % (recording.length - bytesOf(PIECE_MS) - 2);
    pieces.push({
      pcm: recording.subarray(from, from + bytesOf(endMs) - bytesOf(startMs)),
      words: words.filter((word) => word.endMs > startMs && word.endMs <= endMs + 1e-6),
      startMs,
    });
  }
  return pieces;
}

/** How a provider responds to one sentence. */
export interface SpeechReply {
  seen: SeenRequest;
  /** Aborts when the client disconnects. */
  left: AbortSignal;
  piece(piece: SpokenPiece): void;
  end(): void;
  /** Sends the error of the provider. */
  fail(status: number, message: string, isLate: boolean): void;
  garbage(): void;
  /** Closes the connection. */
  cut(): void;
}

/** Responds according to the settings. */
export async function deliver(reply: SpeechReply, settings: Settings, pieces: SpokenPiece[]): Promise<void> {
  const { behaviour } = settings;
  try {
    switch (behaviour) {
      case 'never':
        await hold(reply.left);
        return;
      case 'refuse':
        reply.cut();
        return;
      case 'error':
        reply.fail(settings.errorStatus, settings.errorMessage, false);
        return;
      case 'garbage':
        reply.garbage();
        return;
      case 'empty':
        reply.end();
        return;
      case 'slow':
        await after(settings.slowMs, undefined, { signal: reply.left });
        break;
      default:
        break;
    }
    for (const [index, piece] of pieces.entries()) {
      reply.left.throwIfAborted();
      reply.piece(piece);
      await after(PIECE_MS * settings.realTimeFactor, undefined, { signal: reply.left });
      if (index < pieces.length / 2 - 1) continue;
      if (behaviour === 'stall') {
        await hold(reply.left);
        return;
      }
      if (behaviour === 'cut') {
        reply.cut();
        return;
      }
      if (behaviour === 'late_error') {
        reply.fail(settings.errorStatus, settings.errorMessage, true);
        return;
      }
    }
    reply.end();
    reply.seen.outcome = 'answered';
  } catch (thrown) {
    if (!reply.left.aborted) throw thrown;
  } finally {
    if (reply.seen.outcome === 'open') reply.seen.outcome = reply.left.aborted ? 'left' : 'refused';
  }
}

function hold(left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (left.aborted) resolve();
    else left.addEventListener('abort', () => resolve(), { once: true });
  });
}
