import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { parseBase64, parseFrame } from '../../http/json-frame.ts';
import { LineReader } from '../../http/line-reader.ts';
import { CharacterTimings } from '../character-timings.ts';
import type { SpeechPiece, SpeechReader } from '../speech-source.ts';
import { speechLine } from './wire.ts';

const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;

/** The response of `/stream/with-timestamps`: one JSON object per line with audio and its characters. */
export class TimedSpeechReader implements SpeechReader {
  readonly #provider: string;
  readonly #confidential: readonly string[];
  readonly #sampleRateHz: number;
  readonly #lines = new LineReader(MAX_LINE_CHARACTERS);
  readonly #pcm = new PcmByteJoiner();
  readonly #timings = new CharacterTimings();

  constructor(provider: string, sampleRateHz: number, confidential: readonly string[]) {
    this.#provider = provider;
    this.#confidential = confidential;
    this.#sampleRateHz = sampleRateHz;
  }

  push(bytes: Buffer): SpeechPiece[] {
    let lines: string[];
    try {
      lines = this.#lines.push(bytes);
    } catch (cause) {
      throw new ProviderError(this.#provider, 'malformed', 'a line is too long', { cause });
    }
    return lines.flatMap((line) => this.#read(line));
  }

  end(): SpeechPiece[] {
    const pieces = this.#lines.end().flatMap((line) => this.#read(line));
    return [...pieces, { type: 'words', words: this.#timings.end() }];
  }

  #read(line: string): SpeechPiece[] {
    const { audio_base64: audio, alignment } = parseFrame(
      this.#provider,
      speechLine,
      line,
      this.#confidential,
    );
    const samples = this.#pcm.push(parseBase64(this.#provider, audio));
    const pieces: SpeechPiece[] = [{ type: 'audio', samples, sampleRateHz: this.#sampleRateHz }];
    if (alignment) {
      const words = this.#timings.push({
        characters: alignment.characters,
        startsMs: alignment.character_start_times_seconds.map((seconds) => seconds * 1000),
        endsMs: alignment.character_end_times_seconds.map((seconds) => seconds * 1000),
      });
      pieces.push({ type: 'words', words });
    }
    return pieces;
  }
}
