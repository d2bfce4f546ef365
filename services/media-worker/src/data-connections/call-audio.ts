import type { DataConnectionSpec } from '@calls/api-contract/call-spec';
import { FrameChunker } from '@calls/audio/frame-chunker';
import { bytesFromSamples, samplesFromBytes, samplesFromMs } from '@calls/audio/pcm';
import { createResampler, type Resampler } from '@calls/audio/resampler';
import { RECORDING_CHANNELS, RECORDING_SAMPLE_RATE_HZ } from '@calls/conversation/ports/recordings';

const FRAME_MS = 40;

/**
 * The sound of a call as a data connection wants it: frames of 40 ms, signed 16-bit little-endian, at its rate; `mixed`: mono,
 * both sides added up, `separated`: stereo, the user left, the agent right.
 */
export class CallAudio {
  readonly #resamplers: readonly Resampler[];
  readonly #chunker: FrameChunker;

  constructor({ sampleRateHz, channelMode }: NonNullable<DataConnectionSpec['audio']>) {
    const channels = channelMode === 'mixed' ? 1 : RECORDING_CHANNELS;
    this.#resamplers = Array.from({ length: channels }, () =>
      createResampler(RECORDING_SAMPLE_RATE_HZ, sampleRateHz),
    );
    this.#chunker = new FrameChunker(samplesFromMs(FRAME_MS, sampleRateHz) * channels);
  }

  /** The frames that `pcm` (16 kHz stereo, as recordings have it) completes; each is the receiver's own. */
  push(pcm: Uint8Array): Uint8Array[] {
    const stereo = samplesFromBytes(pcm);
    const channels = this.#resamplers.length === 1 ? [mixed(stereo)] : [side(stereo, 0), side(stereo, 1)];
    return this.#frames(channels.map((samples, i) => this.#resamplers[i]?.process(samples) ?? samples));
  }

  /** Returns the last partial frame, padded with silence, and resets. */
  flush(): Uint8Array[] {
    const frames = this.#frames(this.#resamplers.map((resampler) => resampler.flush()));
    this.#chunker.flush((frame) => frames.push(ownBytes(frame)));
    return frames;
  }

  /** Forgets what waits for the rest of its frame. */
  reset(): void {
    for (const resampler of this.#resamplers) resampler.reset();
    this.#chunker.reset();
  }

  /** Idempotent; nothing may be pushed from then on. */
  close(): void {
    for (const resampler of this.#resamplers) resampler.close();
  }

  #frames(channels: readonly Int16Array[]): Uint8Array[] {
    const frames: Uint8Array[] = [];
    this.#chunker.push(interleaved(channels), (frame) => frames.push(ownBytes(frame)));
    return frames;
  }
}

function ownBytes(frame: Int16Array): Uint8Array {
  return bytesFromSamples(frame.slice());
}

/** Louder than full scale is cut off. */
function mixed(stereo: Int16Array): Int16Array {
  const mono = new Int16Array(stereo.length >> 1);
  for (let i = 0; i < mono.length; i += 1) {
    const sum = (stereo[2 * i] ?? 0) + (stereo[2 * i + 1] ?? 0);
    mono[i] = Math.max(-32_768, Math.min(32_767, sum));
  }
  return mono;
}

function side(stereo: Int16Array, index: 0 | 1): Int16Array {
  const mono = new Int16Array(stereo.length >> 1);
  for (let i = 0; i < mono.length; i += 1) mono[i] = stereo[2 * i + index] ?? 0;
  return mono;
}

function interleaved(channels: readonly Int16Array[]): Int16Array {
  const [first = new Int16Array(0), second] = channels;
  if (!second) return first;
  const samples = new Int16Array(first.length * 2);
  for (let i = 0; i < first.length; i += 1) {
    samples[2 * i] = first[i] ?? 0;
    samples[2 * i + 1] = second[i] ?? 0;
  }
  return samples;
}
