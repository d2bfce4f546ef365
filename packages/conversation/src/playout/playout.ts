import { toError } from '@calls/foundation/errors';
import { FRAME_MS, type AgentUtterance } from './agent-utterance.ts';

export interface PlayoutSink {
  /** One frame, to be sent at once. Not kept. */
  write(frame: Int16Array): void;
  /** As `AudioOutput` has it. */
  playoutDelayMs?(nowMs: number): number;
  playbackLagMs?(nowMs: number): number;
}

/** Audio that begins to sound this much later than it would right after the last of ours has others' in between. */
const SEAMLESS_MS = 1;

/** A gap between sentences is shorter. */
const SILENT_AFTER_MS = 300;

/** Gets what is heard, in order and soon after: audio that began to sound at `startMs`. Must not keep it. */
export type AudioTap = (samples: Int16Array, startMs: number) => void;

export interface PlayoutListener {
  /** Sound begins: the first frame has gone out, or the first after `onSilent`. */
  onStarted(): void;
  /** Nothing has been heard for a while, and more is to come. */
  onSilent(): void;
  /** `position` samples of the utterance have been heard. Called at most once per frame. */
  onPlayed(position: number): void;
  /** All of a complete utterance has been heard. */
  onFinished(): void;
  /** A frame went out this much later than it was due (it was there in time). */
  onFrameSent(latenessMs: number): void;
  /** Audio ran out in the middle of the utterance. */
  onStarved(): void;
  /** Null if nothing needs the played sound. */
  onAudio: AudioTap | null;
  /** It can't go on. */
  onBroken(fault: Error): void;
}

/**
 * Sends one utterance in 20 ms frames, each due by a deadline, at most `leadMs` ahead of the playhead (the remote
 * buffer). The playhead moves with time while there is something to hear. Pure but for its sink: time comes with each call.
 */
export class Playout {
  readonly #utterance: AgentUtterance;
  readonly #sink: PlayoutSink;
  readonly #listener: PlayoutListener;
  readonly #samplesPerMs: number;
  readonly #frameSamples: number;
  readonly #leadSamples: number;
  readonly #frame: Int16Array;
  /** The playhead was at `#anchorSample` at `#anchorMs`; it stands still while `#anchorMs` is null. */
  #anchorMs: number | null = null;
  #anchorSample = 0;
  /** How late the other end is, as it was known last. */
  #lateMs = 0;
  /** What has been heard is never less than it was. */
  #heardSamples = 0;
  #sentSamples = 0;
  #reportedSamples = -1;
  /** How much was given to `onSound`. */
  #soundedSamples = 0;
  #soundedUntilMs = -Infinity;
  #sounding = false;
  /** Since when there is nothing to send. */
  #dryAtMs: number | null = null;
  #paused = false;
  #finished = false;
  #starved = true;

  constructor(utterance: AgentUtterance, leadMs: number, sink: PlayoutSink, listener: PlayoutListener) {
    this.#utterance = utterance;
    this.#sink = sink;
    this.#listener = listener;
    this.#samplesPerMs = utterance.sampleRateHz / 1000;
    this.#frameSamples = Math.round(FRAME_MS * this.#samplesPerMs);
    this.#leadSamples = Math.max(leadMs, FRAME_MS) * this.#samplesPerMs;
    this.#frame = new Int16Array(this.#frameSamples);
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** What has been heard at `nowMs`, in samples. */
  playhead(nowMs: number): number {
    this.#lateMs = this.#sink.playbackLagMs?.(nowMs) ?? 0;
    this.#heardSamples = Math.max(this.#heardSamples, this.#anchorSample, this.#head(nowMs - this.#lateMs));
    return this.#heardSamples;
  }

  /** The playhead, were the other end not late; before `#anchorSample` while others' audio is heard first. */
  #head(nowMs: number): number {
    if (this.#anchorMs === null) return this.#anchorSample;
    return Math.min(this.#sentSamples, this.#anchorSample + (nowMs - this.#anchorMs) * this.#samplesPerMs);
  }

  /** Sends what is due. To be called every few milliseconds. Never throws: a fault ends this playout, not its caller. */
  pump(nowMs: number): void {
    if (this.#paused || this.#finished) return;
    try {
      this.#advance(nowMs);
    } catch (thrown) {
      this.#finished = true;
      this.#listener.onBroken(toError(thrown));
    }
  }

  #advance(nowMs: number): void {
    const head = this.playhead(nowMs);
    if (head >= this.#sentSamples && this.#anchorMs !== null) this.#runDry(head, nowMs);
    this.#send(nowMs);
    this.#report(this.playhead(nowMs));
    if (this.#utterance.complete && head >= this.#utterance.writtenSamples) this.#finish();
    else this.#noticeSilence(nowMs);
  }

  /** Stops where it is; what was sent and not heard will be sent again. The caller clears the remote buffer. */
  pause(nowMs: number): void {
    const head = Math.floor(this.playhead(nowMs));
    this.#sound(head);
    this.#paused = true;
    this.#dryAtMs ??= nowMs;
    this.#anchorMs = null;
    this.#anchorSample = head;
    this.#heardSamples = head;
    this.#sentSamples = head;
    this.#starved = true;
    this.#report(head);
  }

  resume(nowMs: number): void {
    this.#paused = false;
    this.pump(nowMs);
  }

  #send(nowMs: number): void {
    for (;;) {
      const head = this.#head(nowMs);
      // It would have been heard, were the other end not late: what comes after a gap waits until it has.
      if (this.#anchorMs !== null && this.#sentSamples > this.#anchorSample && head >= this.#sentSamples)
        return;
      const dueAheadSamples = this.#sentSamples + this.#frameSamples - head;
      if (this.#anchorMs !== null && dueAheadSamples > this.#leadSamples + 0.5) return;
      const available = this.#utterance.writtenSamples - this.#sentSamples;
      if (available <= 0 || (available < this.#frameSamples && !this.#utterance.complete)) return;
      const startMs = this.#startMs(nowMs);
      if (startMs === null) return;
      const count = this.#utterance.read(this.#sentSamples, this.#frame);
      this.#anchorMs ??= startMs;
      this.#sink.write(count === this.#frame.length ? this.#frame : this.#frame.subarray(0, count));
      this.#listener.onFrameSent(
        this.#starved ? 0 : (this.#leadSamples - dueAheadSamples) / this.#samplesPerMs,
      );
      this.#sentSamples += count;
      // The first frames after a stop fill the lead; none of them has a deadline.
      if (this.#sentSamples - this.#anchorSample >= this.#leadSamples) this.#starved = false;
      this.#dryAtMs = null;
      if (!this.#sounding) {
        this.#sounding = true;
        this.#listener.onStarted();
      }
    }
  }

  /** When what is sent now begins to sound; null where others' audio came in between: it waits until ours is heard. */
  #startMs(nowMs: number): number | null {
    const startMs = nowMs + (this.#sink.playoutDelayMs?.(nowMs) ?? 0);
    if (this.#anchorMs === null || !this.#sink.playoutDelayMs) return startMs;
    const endMs = this.#anchorMs + (this.#sentSamples - this.#anchorSample) / this.#samplesPerMs;
    return startMs - endMs > SEAMLESS_MS ? null : startMs;
  }

  /** All that was sent has been heard and nothing follows yet: the playhead waits. */
  #runDry(head: number, nowMs: number): void {
    this.#sound(head);
    this.#anchorMs = null;
    this.#anchorSample = head;
    if (!this.#starved && !this.#utterance.complete) this.#listener.onStarved();
    this.#starved = true;
    this.#dryAtMs = nowMs;
  }

  #noticeSilence(nowMs: number): void {
    if (!this.#sounding || this.#dryAtMs === null || nowMs - this.#dryAtMs < SILENT_AFTER_MS) return;
    this.#sounding = false;
    this.#listener.onSilent();
  }

  #report(head: number): void {
    if (head - this.#reportedSamples < this.#frameSamples && head < this.#utterance.writtenSamples) return;
    if (head === this.#reportedSamples) return;
    this.#reportedSamples = head;
    this.#sound(head);
    this.#utterance.release(Math.floor(head));
    this.#listener.onPlayed(head);
  }

  /** To be called before the playhead's anchor is moved and before the audio is released. */
  #sound(head: number): void {
    const { onAudio: onSound } = this.#listener;
    if (!onSound || this.#anchorMs === null) return;
    const end = Math.floor(head);
    while (this.#soundedSamples < end) {
      const playedMs = (this.#soundedSamples - this.#anchorSample) / this.#samplesPerMs;
      const startMs = Math.max(this.#soundedUntilMs, this.#anchorMs + playedMs + this.#lateMs);
      const left = end - this.#soundedSamples;
      const wanted = left < this.#frame.length ? this.#frame.subarray(0, left) : this.#frame;
      const count = this.#utterance.read(this.#soundedSamples, wanted);
      if (count === 0) return;
      onSound(count < wanted.length ? wanted.subarray(0, count) : wanted, startMs);
      this.#soundedSamples += count;
      this.#soundedUntilMs = startMs + count / this.#samplesPerMs;
    }
  }

  #finish(): void {
    this.#finished = true;
    this.#listener.onFinished();
  }
}
