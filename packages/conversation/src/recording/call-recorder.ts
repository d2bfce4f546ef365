import { bytesFromSamples, clampToInt16 } from '@calls/audio/pcm';
import type { Clock, Timer } from '@calls/foundation/clock';
import {
  RECORDING_CHANNELS,
  RECORDING_SAMPLE_RATE_HZ,
  type RecordingSink,
  type StoredRecording,
} from '../ports/recordings.ts';
import { ArrivalTrack } from './arrival-track.ts';
import { PlaybackTrack } from './playback-track.ts';

const SAMPLES_PER_MS = RECORDING_SAMPLE_RATE_HZ / 1000;
/** The longest burst that a transport accepts. */
const BURST_MS = 2500;
/** A supervisor's voice is written this much before it is played, at most. */
const AHEAD_MS = 100;

/** How far the output lags behind the call. */
export interface RecordingPace {
  /** Length of the written blocks. */
  blockMs: number;
  /** Audio older than this is written. Until then, delayed audio can be moved to where it was spoken. */
  horizonMs: number;
}

/** For recordings. A crash of the worker loses what was not written. */
const RECORDED: RecordingPace = { blockMs: 1000, horizonMs: 2000 };
/** For live consumers. */
export const LIVE: RecordingPace = { blockMs: 100, horizonMs: 200 };

export interface CallRecorderOptions {
  sink: RecordingSink;
  /** Sample rate of the agent's audio. */
  agentSampleRateHz: number;
  /** Start of the recording, on the monotonic clock. */
  startMs: number;
  clock: Clock;
  pace?: RecordingPace;
}

/**
 * Records both sides of a call on the call's clock: the user's audio as it arrives, the agent's as it is
 * played. Writes to the sink in order, a few seconds behind. The recording is exactly as long as the call.
 */
export class CallRecorder {
  readonly #options: CallRecorderOptions;
  readonly #pace: RecordingPace;
  readonly #blockSamples: number;
  readonly #user: ArrivalTrack;
  readonly #agent: PlaybackTrack;
  /** Mixed with the agent's audio. Null until it has audio. */
  #colleague: PlaybackTrack | null = null;
  /** Buffer for the audio of `#colleague`. */
  #rendered: Int16Array | null = null;
  #writtenSamples = 0;
  #timer: Timer;
  #closed = false;

  constructor(options: CallRecorderOptions) {
    this.#options = options;
    this.#pace = options.pace ?? RECORDED;
    const { blockMs, horizonMs } = this.#pace;
    this.#blockSamples = blockMs * SAMPLES_PER_MS;
    this.#user = new ArrivalTrack((horizonMs + blockMs + BURST_MS) * SAMPLES_PER_MS);
    this.#agent = this.#createPlaybackTrack();
    this.#timer = this.#schedule();
  }

  /** Adds the user's audio at 16 kHz that has just arrived. Does not retain it. */
  writeUserAudio(samples: Int16Array): void {
    if (!this.#closed) this.#user.push(samples, this.#position());
  }

  /** Adds agent audio that started to play at `startMs` of the monotonic clock. Does not retain it. */
  writeAgentAudio(samples: Int16Array, startMs: number): void {
    if (this.#closed) return;
    this.#writeSettled();
    this.#agent.push(samples, startMs - this.#options.startMs);
  }

  /** Adds audio of another source that the user hears from `startMs` on. Does not retain it. */
  writeColleagueAudio(samples: Int16Array, startMs: number): void {
    if (this.#closed) return;
    this.#writeSettled();
    this.#colleague ??= this.#createPlaybackTrack();
    this.#colleague.push(samples, startMs - this.#options.startMs);
  }

  /**
   * The call has ended: writes the rest and stores it; null if there is nothing. Call either this or `suspend`,
   * once.
   */
  close(): Promise<StoredRecording | null> {
    this.#writeUntil(this.#position());
    this.#stop();
    return this.#options.sink.close();
  }

  /**
   * The call may continue in another session: writes the rest unless another worker has `takenOver`, and stores
   * it.
   */
  suspend(takenOver: boolean): Promise<void> {
    if (!takenOver) this.#writeUntil(this.#position());
    this.#stop();
    return this.#options.sink.suspend();
  }

  #stop(): void {
    this.#closed = true;
    this.#timer.cancel();
    this.#user.close();
    this.#agent.close();
    this.#colleague?.close();
  }

  #createPlaybackTrack(): PlaybackTrack {
    const { blockMs, horizonMs } = this.#pace;
    const capacity = (horizonMs + 2 * blockMs + AHEAD_MS) * SAMPLES_PER_MS;
    return new PlaybackTrack(this.#options.agentSampleRateHz, capacity, this.#writtenSamples);
  }

  #schedule(): Timer {
    return this.#options.clock.setTimer(this.#pace.blockMs, () => {
      this.#timer = this.#schedule();
      this.#writeSettled();
    });
  }

  /** The current position, in samples of the recording. */
  #position(): number {
    const { clock, startMs } = this.#options;
    return Math.max(0, Math.round((clock.nowMs() - startMs) * SAMPLES_PER_MS));
  }

  /** Writes whole blocks that are older than the horizon. */
  #writeSettled(): void {
    const settled = this.#position() - this.#pace.horizonMs * SAMPLES_PER_MS - this.#writtenSamples;
    if (settled >= this.#blockSamples) {
      this.#writeUntil(this.#writtenSamples + settled - (settled % this.#blockSamples));
    }
  }

  #writeUntil(end: number): void {
    while (this.#writtenSamples < end) {
      const from = this.#writtenSamples;
      const count = Math.min(this.#blockSamples, end - from);
      const block = new Int16Array(count * RECORDING_CHANNELS);
      this.#user.render(from, count, block, 0, RECORDING_CHANNELS);
      this.#agent.render(from, count, block, 1, RECORDING_CHANNELS);
      if (this.#colleague) this.#mixColleague(this.#colleague, from, count, block);
      this.#options.sink.write(bytesFromSamples(block));
      this.#writtenSamples += count;
    }
  }

  #mixColleague(track: PlaybackTrack, from: number, count: number, block: Int16Array): void {
    this.#rendered ??= new Int16Array(this.#blockSamples);
    this.#rendered.fill(0);
    track.render(from, count, this.#rendered, 0, 1);
    for (let i = 0, to = 1; i < count; i += 1, to += RECORDING_CHANNELS)
      block[to] = clampToInt16((block[to] ?? 0) + (this.#rendered[i] ?? 0));
  }
}
