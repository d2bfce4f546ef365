import { concatSamples } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import type { SpokenChunk } from '../response/speaker.ts';

/** Longer than the longest summary takes to speak. */
const MAX_SPEECH_MS = 100_000;

/** Speech that is synthesized before its playback rate is known. */
export class BriefingSpeech {
  /** Null if the synthesis failed. */
  readonly #parts: Promise<{ samples: Int16Array; sampleRateHz: number } | null>;

  constructor(speech: AsyncIterable<SpokenChunk>, onError: (thrown: unknown) => void) {
    this.#parts = collected(speech).catch((thrown: unknown) => {
      onError(thrown);
      return null;
    });
  }

  /** Resolves with the whole speech; null if there is none. Never rejects. */
  async at(rateHz: number): Promise<Int16Array | null> {
    const speech = await this.#parts;
    if (!speech || speech.samples.length === 0) return null;
    const resampler = createResampler(speech.sampleRateHz, rateHz);
    try {
      return concatSamples([resampler.process(speech.samples), resampler.flush()]);
    } finally {
      resampler.close();
    }
  }
}

/** A voice and its fallback may have different rates: all speech gets the first one. */
async function collected(
  speech: AsyncIterable<SpokenChunk>,
): Promise<{ samples: Int16Array; sampleRateHz: number }> {
  const parts: Int16Array[] = [];
  let rateHz: number | null = null;
  let spokenMs = 0;
  for await (const chunk of speech) {
    if (chunk.type !== 'audio') continue;
    rateHz ??= chunk.sampleRateHz;
    spokenMs += (chunk.samples.length / chunk.sampleRateHz) * 1000;
    if (spokenMs > MAX_SPEECH_MS) break;
    parts.push(chunk.sampleRateHz === rateHz ? chunk.samples : resampled(chunk, rateHz));
  }
  return { samples: concatSamples(parts), sampleRateHz: rateHz ?? 16_000 };
}

function resampled(chunk: SpokenChunk & { type: 'audio' }, rateHz: number): Int16Array {
  const resampler = createResampler(chunk.sampleRateHz, rateHz);
  const samples = resampler.process(chunk.samples);
  resampler.close();
  return samples;
}
