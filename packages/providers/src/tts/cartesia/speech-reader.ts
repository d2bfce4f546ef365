import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { EventStreamReader } from '../../http/event-stream.ts';
import { parseBase64, parseFrame } from '../../http/json-frame.ts';
import { refusal, refusalText } from '../../http/refusal.ts';
import type { SpeechPiece, SpeechReader } from '../speech-source.ts';
import { SAMPLE_RATE_HZ, speechEvent } from './wire.ts';

const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;

/** The response of `/tts/sse`: audio, word timings, and finally `done` or an error. */
export class EventSpeechReader implements SpeechReader {
  readonly #provider: string;
  readonly #confidential: readonly string[];
  readonly #events = new EventStreamReader(MAX_EVENT_CHARACTERS);
  readonly #pcm = new PcmByteJoiner();
  #done = false;

  constructor(provider: string, confidential: readonly string[]) {
    this.#provider = provider;
    this.#confidential = confidential;
  }

  push(bytes: Buffer): SpeechPiece[] {
    let events: string[];
    try {
      events = this.#events.push(bytes);
    } catch (cause) {
      throw new ProviderError(this.#provider, 'malformed', 'an event is too long', { cause });
    }
    return events.flatMap((event) => this.#read(event));
  }

  end(): SpeechPiece[] {
    const pieces = this.#events.end().flatMap((event) => this.#read(event));
    if (!this.#done)
      throw new ProviderError(this.#provider, 'cut', 'the response ended before it was complete');
    return pieces;
  }

  #read(text: string): SpeechPiece[] {
    const event = parseFrame(this.#provider, speechEvent, text, this.#confidential);
    switch (event.type) {
      case 'chunk': {
        const samples = this.#pcm.push(parseBase64(this.#provider, event.data ?? ''));
        return [{ type: 'audio', samples, sampleRateHz: SAMPLE_RATE_HZ }];
      }
      case 'timestamps': {
        const { words, start, end } = event.word_timestamps ?? { words: [], start: [], end: [] };
        const timed = words.map((word, i) => ({
          word,
          startMs: (start[i] ?? 0) * 1000,
          endMs: (end[i] ?? 0) * 1000,
        }));
        return [{ type: 'words', words: timed }];
      }
      case 'done':
        this.#done = true;
        return [];
      case 'error':
        throw refusal(this.#provider, event.status_code ?? 500, refusalText(text, this.#confidential));
      default:
        return [];
    }
  }
}
