import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import { WavStreamReader } from '@calls/audio/wav-stream-reader';
import { AppError } from '@calls/foundation/errors';
import { compressedFormat } from './compressed-audio.ts';

const RIFF = Buffer.from('RIFF');

export interface DecodedSpeech {
  samples: Int16Array;
  sampleRateHz: number;
}

/** Audio in a compressed format. Played as samples, it would be loud noise. */
export class CompressedAudioError extends AppError {
  constructor(format: string) {
    super('compressed_audio', `the response is ${format}; only WAV and PCM can be played`);
  }
}

/**
 * Decodes the bytes of one response, split anywhere, to samples. Headerless PCM, unless the bytes start like a WAV
 * file: many servers send WAV although PCM was requested. Throws a WavError for a malformed WAV file, and a
 * CompressedAudioError.
 */
export class SpeechDecoder {
  readonly #pcmRateHz: number;
  readonly #pcm = new PcmByteJoiner();
  #wav: WavStreamReader | undefined;
  #beginning: Buffer | undefined = Buffer.alloc(0);

  constructor(pcmRateHz: number) {
    this.#pcmRateHz = pcmRateHz;
  }

  push(bytes: Buffer): DecodedSpeech {
    const data =
      this.#beginning === undefined ? bytes : this.#recognize(Buffer.concat([this.#beginning, bytes]));
    if (this.#wav === undefined) return { samples: this.#pcm.push(data), sampleRateHz: this.#pcmRateHz };
    const samples = this.#wav.push(data);
    return { samples, sampleRateHz: this.#wav.format?.sampleRateHz ?? this.#pcmRateHz };
  }

  /** The bytes to decode; none until the format is clear. */
  #recognize(bytes: Buffer): Buffer {
    const compressed = compressedFormat(bytes);
    if (compressed === null) {
      this.#beginning = bytes;
      return Buffer.alloc(0);
    }
    if (compressed !== undefined) throw new CompressedAudioError(compressed);
    this.#beginning = undefined;
    if (bytes.subarray(0, RIFF.length).equals(RIFF)) this.#wav = new WavStreamReader();
    return bytes;
  }
}
