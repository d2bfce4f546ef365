import { bytesFromSamples } from '@calls/audio';
import type { Clock, Timer } from '@calls/foundation';
import {
  RECORDING_CHANNELS,
  RECORDING_SAMPLE_RATE_HZ,
  type RecordingSink,
  type StoredRecording,
} from '../ports/recordings.ts';
import { ArrivalTrack } from './arrival-track.ts';
import { HeardTrack } from './heard-track.ts';

const SAMPLES_PER_MS = RECORDING_SAMPLE_RATE_HZ / 1000;
/** Audio leaves in blocks of this length. */
const BLOCK_MS = 500;
const BLOCK_SAMPLES = BLOCK_MS * SAMPLES_PER_MS;
/** What is older is written. Audio that the network held up may be put where it was spoken until then. */
const HORIZON_MS = 2000;
/** The horizon, the block after it, and a burst of as much as a transport lets through at once. */
const USER_CAPACITY_SAMPLES = (HORIZON_MS + BLOCK_MS + 2500) * SAMPLES_PER_MS;
/** The horizon and two blocks: what was heard is never ahead of the clock. */
const AGENT_CAPACITY_SAMPLES = (HORIZON_MS + 2 * BLOCK_MS) * SAMPLES_PER_MS;

export interface CallRecorderOptions {
  sink: RecordingSink;
  /** Of the agent's audio. */
  agentSampleRateHz: number;
  /** When the call began, on the clock: the recording's first sample. */
  startMs: number;
  clock: Clock;
}

/**
 * Both sides of a call on one clock, the call's own: what the user said when it arrived, what the agent said when it was
 * heard. Leaves for the sink in order, some seconds behind; as long as the call, to the sample.
 */
export class CallRecorder {
  readonly #options: CallRecorderOptions;
  readonly #user = new ArrivalTrack(USER_CAPACITY_SAMPLES);
  readonly #agent: HeardTrack;
  #writtenSamples = 0;
  #timer: Timer;
  #closing: Promise<StoredRecording | null> | null = null;

  constructor(options: CallRecorderOptions) {
    this.#options = options;
    this.#agent = new HeardTrack(options.agentSampleRateHz, AGENT_CAPACITY_SAMPLES);
    this.#timer = this.#schedule();
  }

  /** The user's audio at 16 kHz, just arrived. Not kept. */
  userSpoke(samples: Int16Array): void {
    if (!this.#closing) this.#user.push(samples, this.#position());
  }

  /** Audio of the agent that was heard from `startMs` of the clock on. Not kept. */
  agentHeard(samples: Int16Array, startMs: number): void {
    if (this.#closing) return;
    this.#writeSettled();
    this.#agent.push(samples, startMs - this.#options.startMs);
  }

  /** The call is over: writes the rest. Resolves when it is stored; null where nothing was. */
  close(): Promise<StoredRecording | null> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<StoredRecording | null> {
    this.#timer.cancel();
    this.#writeUntil(this.#position());
    this.#agent.close();
    return this.#options.sink.close();
  }

  #schedule(): Timer {
    return this.#options.clock.setTimer(BLOCK_MS, () => {
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
    const settled = this.#position() - HORIZON_MS * SAMPLES_PER_MS - this.#writtenSamples;
    if (settled >= BLOCK_SAMPLES) {
      this.#writeUntil(this.#writtenSamples + settled - (settled % BLOCK_SAMPLES));
    }
  }

  #writeUntil(end: number): void {
    while (this.#writtenSamples < end) {
      const from = this.#writtenSamples;
      const count = Math.min(BLOCK_SAMPLES, end - from);
      const block = new Int16Array(count * RECORDING_CHANNELS);
      this.#user.render(from, count, block, 0, RECORDING_CHANNELS);
      this.#agent.render(from, count, block, 1, RECORDING_CHANNELS);
      this.#options.sink.write(bytesFromSamples(block));
      this.#writtenSamples += count;
    }
  }
}
