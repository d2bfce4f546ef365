import type { DataConnectionSpec } from '@calls/api-contract/call-spec';
import { FrameChunker } from '@calls/audio/frame-chunker';
import { bytesFromSamples, samplesFromBytes, samplesFromMs } from '@calls/audio/pcm';
import { createResampler, type Resampler } from '@calls/audio/resampler';
import { RECORDING_CHANNELS, RECORDING_SAMPLE_RATE_HZ } from '@calls/conversation/ports/recordings';

const FRAME_MS = 40;

/**
 * Converts the audio of a call for a data connection: 40 ms frames, signed 16-bit little-endian, at the connection's
 * rate. `mixed`: mono sum of both sides; `separated`: stereo, user left, agent right.
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

  /**
   * Adds `pcm` (16 kHz stereo, the format of recordings) and returns the frames that it completes. The receiver owns
   * them.
   */
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

  /** Drops the partial frame. */
  reset(): void {
    for (const resampler of this.#resamplers) resampler.reset();
    this.#chunker.reset();
  }

  /** Idempotent. Nothing may be pushed afterwards. */
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

/** The sum is clipped to full scale. */
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
