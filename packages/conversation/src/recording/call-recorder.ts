import { clampToInt16 } from '@calls/audio/pcm';
import type { Clock, Timer } from '@calls/foundation/clock';
import { RECORDING_SAMPLE_RATE_HZ, type RecordingSink, type StoredRecording } from '../ports/recordings.ts';
import { ArrivalTrack } from './arrival-track.ts';
import type { LatencyAudit, ReportedTurn } from './latency-audit.ts';
import { PlaybackTrack } from './playback-track.ts';

const SAMPLES_PER_MS = RECORDING_SAMPLE_RATE_HZ / 1000;
/** The longest burst that a transport accepts. */
const BURST_MS = 2500;
/** Supervisors' audio is written at most this long before it is played. */
const AHEAD_MS = 100;

/** How far the output lags behind the call. */
export interface RecordingPace {
  /** Length of the written blocks. */
  blockMs: number;
  /** Audio older than this is written. Until then, delayed audio can be moved to where it was spoken. */
  horizonMs: number;
}

/** Pace of recordings. If the worker crashes, unwritten audio is lost. */
const RECORDED: RecordingPace = { blockMs: 1000, horizonMs: 2000 };
/** Pace of live consumers. */
export const LIVE: RecordingPace = { blockMs: 100, horizonMs: 200 };

/** Shared by all recorders, which render one after the other; as long as the longest block. */
const [USER_BLOCK, AGENT_BLOCK, OTHER_BLOCK] = [emptyBlock(), emptyBlock(), emptyBlock()];

export interface CallRecorderOptions {
  sink: RecordingSink;
  /** Sample rate of the agent's audio. */
  agentSampleRateHz: number;
  /** Start of the recording, on the monotonic clock. */
  startMs: number;
  clock: Clock;
  pace?: RecordingPace;
  /** Receives the recorded audio of the user and the agent. */
  audit?: LatencyAudit;
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
  #other: PlaybackTrack | null = null;
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
  writeOtherAudio(samples: Int16Array, startMs: number): void {
    if (this.#closed) return;
    this.#writeSettled();
    this.#other ??= this.#createPlaybackTrack();
    this.#other.push(samples, startMs - this.#options.startMs);
  }

  /** See LatencyAudit. The times are those of the monotonic clock. */
  auditTurn({ speechEndMs, firstSoundMs }: ReportedTurn): void {
    const { startMs, audit } = this.#options;
    audit?.report({ speechEndMs: speechEndMs - startMs, firstSoundMs: firstSoundMs - startMs });
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

  /** The call may continue in another session: writes the rest unless it `hasMoved` to another worker, and stores it. */
  suspend(hasMoved: boolean): Promise<void> {
    if (!hasMoved) this.#writeUntil(this.#position());
    this.#stop();
    return this.#options.sink.suspend();
  }

  #stop(): void {
    this.#closed = true;
    this.#options.audit?.close();
    this.#timer.cancel();
    this.#user.close();
    this.#agent.close();
    this.#other?.close();
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
      const [user, agent] = [silent(USER_BLOCK, count), silent(AGENT_BLOCK, count)];
      this.#user.render(from, user);
      this.#agent.render(from, agent);
      this.#options.audit?.push(user, agent);
      if (this.#other) {
        const other = silent(OTHER_BLOCK, count);
        this.#other.render(from, other);
        for (let i = 0; i < count; i += 1) agent[i] = clampToInt16((agent[i] ?? 0) + (other[i] ?? 0));
      }
      this.#options.sink.write(interleaved(user, agent));
      this.#writtenSamples += count;
    }
  }
}

function emptyBlock(): Int16Array {
  return new Int16Array(RECORDED.blockMs * SAMPLES_PER_MS);
}

function silent(block: Int16Array, count: number): Int16Array {
  return block.subarray(0, count).fill(0);
}

/**
 * Interleaves both channels. Writing both samples of a pair together is twice as fast as one channel after the other.
 */
function interleaved(left: Int16Array, right: Int16Array): Uint8Array {
  const both = new Uint32Array(left.length);
  for (let i = 0; i < both.length; i += 1) both[i] = ((left[i] ?? 0) & 0xffff) | ((right[i] ?? 0) << 16);
  return new Uint8Array(both.buffer);
}
