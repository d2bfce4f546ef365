import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import { WavStreamReader } from '@calls/audio/wav-stream-reader';

const RIFF = Buffer.from('RIFF');

export interface DecodedSpeech {
  samples: Int16Array;
  sampleRateHz: number;
}

/**
 * Decodes the bytes of one response, split anywhere, to samples. Headerless PCM, unless the bytes start like a WAV
 * file: many servers send WAV although PCM was requested. Throws a WavError for a malformed WAV file.
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
      this.#beginning === undefined ? bytes : this.#recognise(Buffer.concat([this.#beginning, bytes]));
    if (this.#wav === undefined) return { samples: this.#pcm.push(data), sampleRateHz: this.#pcmRateHz };
    const samples = this.#wav.push(data);
    return { samples, sampleRateHz: this.#wav.format?.sampleRateHz ?? this.#pcmRateHz };
  }

  /** The bytes to decode; none until the first four have arrived. */
  #recognise(bytes: Buffer): Buffer {
    if (bytes.length < RIFF.length) {
      this.#beginning = bytes;
      return Buffer.alloc(0);
    }
    this.#beginning = undefined;
    if (bytes.subarray(0, RIFF.length).equals(RIFF)) this.#wav = new WavStreamReader();
    return bytes;
  }
}
