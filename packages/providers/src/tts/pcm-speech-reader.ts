import { WavError } from '@calls/audio/wav-header';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { CompressedAudioError, SpeechDecoder } from './speech-decoder.ts';
import type { SpeechPiece, SpeechReader } from './speech-source.ts';

/** Content types that cannot be headerless PCM. */
export const NO_PCM = /json|html|text\/|mpeg|mp3|ogg|opus|aac|mp4|flac|webm/i;

/** A response of headerless PCM at `pcmRateHz` or a WAV file. */
export class PcmSpeechReader implements SpeechReader {
  readonly #provider: string;
  readonly #decoder: SpeechDecoder;

  constructor(provider: string, pcmRateHz: number) {
    this.#provider = provider;
    this.#decoder = new SpeechDecoder(pcmRateHz);
  }

  push(bytes: Buffer): SpeechPiece[] {
    try {
      return [{ type: 'audio', ...this.#decoder.push(bytes) }];
    } catch (cause) {
      if (cause instanceof CompressedAudioError)
        throw new ProviderError(this.#provider, 'malformed', cause.message, { cause });
      if (!(cause instanceof WavError)) throw cause;
      const message = 'the response is not a readable WAV file';
      throw new ProviderError(this.#provider, 'malformed', message, { cause });
    }
  }

  end(): SpeechPiece[] {
    return [];
  }
}
