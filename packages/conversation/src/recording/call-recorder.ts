import { bytesFromSamples } from '@calls/audio/pcm';
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
/** A burst of as much as a transport lets through at once. */
const BURST_MS = 2500;

/** How far behind the call its sound leaves. */
export interface RecordingPace {
  /** Audio leaves in blocks of this length. */
  blockMs: number;
  /** What is older is written. Audio that the network held up may be put where it was spoken until then. */
  horizonMs: number;
}

/** For what is listened to afterwards. */
const AFTERWARDS: RecordingPace = { blockMs: 500, horizonMs: 2000 };
/** For who listens while the call goes on. */
export const LIVE: RecordingPace = { blockMs: 100, horizonMs: 200 };

export interface CallRecorderOptions {
  sink: RecordingSink;
  /** Of the agent's audio. */
  agentSampleRateHz: number;
  /** When the call began, on the clock: the recording's first sample. */
  startMs: number;
  clock: Clock;
  pace?: RecordingPace;
}

/**
 * Both sides of a call on one clock, the call's own: what the user said when it arrived, what the agent said when it was
 * heard. Leaves for the sink in order, some seconds behind; as long as the call, to the sample.
 */
export class CallRecorder {
  readonly #options: CallRecorderOptions;
  readonly #pace: RecordingPace;
  readonly #blockSamples: number;
  readonly #user: ArrivalTrack;
  readonly #agent: PlaybackTrack;
  #writtenSamples = 0;
  #timer: Timer;
  #closed = false;

  constructor(options: CallRecorderOptions) {
    this.#options = options;
    this.#pace = options.pace ?? AFTERWARDS;
    const { blockMs, horizonMs } = this.#pace;
    this.#blockSamples = blockMs * SAMPLES_PER_MS;
    this.#user = new ArrivalTrack((horizonMs + blockMs + BURST_MS) * SAMPLES_PER_MS);
    // What was heard is never ahead of the clock.
    this.#agent = new PlaybackTrack(options.agentSampleRateHz, (horizonMs + 2 * blockMs) * SAMPLES_PER_MS);
    this.#timer = this.#schedule();
  }

  /** The user's audio at 16 kHz, just arrived. Not kept. */
  writeUserAudio(samples: Int16Array): void {
    if (!this.#closed) this.#user.push(samples, this.#position());
  }

  /** Audio of the agent that was heard from `startMs` of the clock on. Not kept. */
  writeAgentAudio(samples: Int16Array, startMs: number): void {
    if (this.#closed) return;
    this.#writeSettled();
    this.#agent.push(samples, startMs - this.#options.startMs);
  }

  /** The call is over: writes the rest. Resolves when it is stored; null where nothing was. Once only, or `leave`. */
  close(): Promise<StoredRecording | null> {
    this.#writeUntil(this.#position());
    this.#stop();
    return this.#options.sink.close();
  }

  /** The call may go on elsewhere: writes the rest, or not where somebody else `hasIt`. Resolves when it is stored. */
  suspend(hasIt: boolean): Promise<void> {
    if (!hasIt) this.#writeUntil(this.#position());
    this.#stop();
    return this.#options.sink.suspend();
  }

  #stop(): void {
    this.#closed = true;
    this.#timer.cancel();
    this.#agent.close();
  }

  #schedule(): Timer {
    return this.#options.clock.setTimer(this.#pace.blockMs, () => {
      this.#timer = this.#schedule();
      this.#writeSettled();
    });
  }

  /** Now, in samples of the recording. */
  #position(): number {
    const { clock, startMs } = this.#options;
    return Math.max(0, Math.round((clock.nowMs() - startMs) * SAMPLES_PER_MS));
  }

  /** Whole blocks beyond the horizon. */
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
      this.#options.sink.write(bytesFromSamples(block));
      this.#writtenSamples += count;
    }
  }
}
