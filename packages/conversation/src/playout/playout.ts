import { toError } from '@calls/foundation/errors';
import { FRAME_MS, type AgentUtterance } from './agent-utterance.ts';
import { VolumeTrack } from './volume-track.ts';

export interface PlayoutSink {
  /** Sends a frame. `nowMs`: the time that the frame's start was computed from. Does not retain the array. */
  write(frame: Int16Array, nowMs: number): void;
  /** See AudioOutput. */
  playoutDelayMs?(nowMs: number): number;
  playbackLagMs?(nowMs: number): number;
}

/** A later start than this means that other audio plays in between. */
const SEAMLESS_MS = 1;

/** `onSilent` is called after this time without audio. Longer than the gaps between sentences. */
const SILENT_AFTER_MS = 300;

/**
 * Receives played audio, in order and shortly after playback started at `startMs`. Must not retain the array.
 */
export type AudioTap = (samples: Int16Array, startMs: number) => void;

export interface PlayoutListener {
  /** Playback starts: the first frame was sent, or the first one after `onSilent`. */
  onStarted(): void;
  /** Nothing was played for a while, and more will follow. */
  onSilent(): void;
  /** `position` samples were played. Called at most once per frame. */
  onPlayed(position: number): void;
  /** A complete utterance was played to its end. */
  onFinished(): void;
}

/** Observes the audio of all utterances of a call. */
export interface AudioMonitor {
  /** A frame was sent this much after its deadline, although its audio was available. */
  onFrameSent(latenessMs: number): void;
  /** Audio ran out within the utterance. */
  onStarved(): void;
  /** Null if played audio is not needed. */
  onAudio: AudioTap | null;
  /** Playback failed and has stopped. */
  onFatalError(error: Error): void;
}

/**
 * Sends one utterance in 20 ms frames by deadlines, at most `leadMs` ahead of the playback position (the remote
 * buffer). The position advances with time while audio is playing. Time is passed to each call; only the sink
 * has side effects.
 */
export class Playout {
  readonly #utterance: AgentUtterance;
  readonly #sink: PlayoutSink;
  readonly #listener: PlayoutListener & AudioMonitor;
  readonly #samplesPerMs: number;
  readonly #frameSamples: number;
  readonly #leadSamples: number;
  readonly #frame: Int16Array;
  readonly #volume: VolumeTrack;
  /**
   * The playback position was `#anchorSample` at `#anchorMs`; it does not advance while `#anchorMs` is null.
   */
  #anchorMs: number | null = null;
  #anchorSample = 0;
  /** The last known playback lag. */
  #lateMs = 0;
  /** The playback position never decreases. */
  #playedSamples = 0;
  #sentSamples = 0;
  #reportedSamples = -1;
  /** Samples passed to `onAudio`. */
  #tappedSamples = 0;
  #tappedUntilMs = -Infinity;
  #audible = false;
  /** When the output ran dry; null while there is audio to send. */
  #dryAtMs: number | null = null;
  #paused = false;
  #finished = false;
  #starved = true;

  constructor(
    utterance: AgentUtterance,
    leadMs: number,
    sink: PlayoutSink,
    listener: PlayoutListener & AudioMonitor,
  ) {
    this.#utterance = utterance;
    this.#sink = sink;
    this.#listener = listener;
    this.#samplesPerMs = utterance.sampleRateHz / 1000;
    this.#frameSamples = Math.round(FRAME_MS * this.#samplesPerMs);
    this.#leadSamples = Math.max(leadMs, FRAME_MS) * this.#samplesPerMs;
    this.#frame = new Int16Array(this.#frameSamples);
    this.#volume = new VolumeTrack(utterance.sampleRateHz);
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Sets the volume (0 to 1) of all audio that is not sent yet. */
  setVolume(volume: number): void {
    this.#volume.set(this.#sentSamples, volume);
  }

  /** The playback position at `nowMs`, in samples. */
  playhead(nowMs: number): number {
    this.#lateMs = this.#sink.playbackLagMs?.(nowMs) ?? 0;
    this.#playedSamples = Math.max(this.#playedSamples, this.#anchorSample, this.#head(nowMs - this.#lateMs));
    return this.#playedSamples;
  }

  /** The position without playback lag; before `#anchorSample` while other audio plays first. */
  #head(nowMs: number): number {
    if (this.#anchorMs === null) return this.#anchorSample;
    return Math.min(this.#sentSamples, this.#anchorSample + (nowMs - this.#anchorMs) * this.#samplesPerMs);
  }

  /**
   * Sends the frames that are due. Call it every few milliseconds. Never throws: an error ends this playout
   * only.
   */
  pump(nowMs: number): void {
    if (this.#paused || this.#finished) return;
    try {
      this.#advance(nowMs);
    } catch (thrown) {
      this.#finished = true;
      this.#listener.onFatalError(toError(thrown));
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

  /**
   * Pauses at the playback position; audio sent but not played will be sent again. The caller clears the remote
   * buffer.
   */
  pause(nowMs: number): void {
    const head = Math.floor(this.playhead(nowMs));
    this.#tapAudio(head);
    this.#paused = true;
    this.#dryAtMs ??= nowMs;
    this.#anchorMs = null;
    this.#anchorSample = head;
    this.#playedSamples = head;
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
      // Without lag it would be played by now: after a gap, the next frame waits until it is.
      if (this.#anchorMs !== null && this.#sentSamples > this.#anchorSample && head >= this.#sentSamples)
        return;
      const dueAheadSamples = this.#sentSamples + this.#frameSamples - head;
      if (this.#anchorMs !== null && dueAheadSamples > this.#leadSamples + 0.5) return;
      const available = this.#utterance.writtenSamples - this.#sentSamples;
      if (available <= 0 || (available < this.#frameSamples && !this.#utterance.complete)) return;
      const startMs = this.#startMs(nowMs);
      if (startMs === null) return;
      const frame = this.#read(this.#sentSamples, this.#frame);
      this.#anchorMs ??= startMs;
      this.#sink.write(frame, nowMs);
      this.#listener.onFrameSent(
        this.#starved ? 0 : (this.#leadSamples - dueAheadSamples) / this.#samplesPerMs,
      );
      this.#sentSamples += frame.length;
      // Frames that fill the lead after a stop have no deadline.
      if (this.#sentSamples - this.#anchorSample >= this.#leadSamples) this.#starved = false;
      this.#dryAtMs = null;
      if (!this.#audible) {
        this.#audible = true;
        this.#listener.onStarted();
      }
    }
  }

  /**
   * When audio sent now starts to play; null if other audio was written in between and ours must finish first.
   */
  #startMs(nowMs: number): number | null {
    const startMs = nowMs + (this.#sink.playoutDelayMs?.(nowMs) ?? 0);
    if (this.#anchorMs === null || !this.#sink.playoutDelayMs) return startMs;
    const endMs = this.#anchorMs + (this.#sentSamples - this.#anchorSample) / this.#samplesPerMs;
    return startMs - endMs > SEAMLESS_MS ? null : startMs;
  }

  /** Everything sent was played and nothing follows yet: the position stops. */
  #runDry(head: number, nowMs: number): void {
    this.#tapAudio(head);
    this.#anchorMs = null;
    this.#anchorSample = head;
    if (!this.#starved && !this.#utterance.complete) this.#listener.onStarved();
    this.#starved = true;
    this.#dryAtMs = nowMs;
  }

  #noticeSilence(nowMs: number): void {
    if (!this.#audible || this.#dryAtMs === null || nowMs - this.#dryAtMs < SILENT_AFTER_MS) return;
    this.#audible = false;
    this.#listener.onSilent();
  }

  #report(head: number): void {
    if (head - this.#reportedSamples < this.#frameSamples && head < this.#utterance.writtenSamples) return;
    if (head === this.#reportedSamples) return;
    this.#reportedSamples = head;
    this.#tapAudio(head);
    this.#utterance.release(Math.floor(head));
    this.#volume.release(head);
    this.#listener.onPlayed(head);
  }

  /** Call before the anchor moves and before audio is released. */
  #tapAudio(head: number): void {
    const { onAudio } = this.#listener;
    if (!onAudio || this.#anchorMs === null) return;
    const end = Math.floor(head);
    while (this.#tappedSamples < end) {
      const playedMs = (this.#tappedSamples - this.#anchorSample) / this.#samplesPerMs;
      const startMs = Math.max(this.#tappedUntilMs, this.#anchorMs + playedMs + this.#lateMs);
      const left = end - this.#tappedSamples;
      const wanted = left < this.#frame.length ? this.#frame.subarray(0, left) : this.#frame;
      const played = this.#read(this.#tappedSamples, wanted);
      if (played.length === 0) return;
      onAudio(played, startMs);
      this.#tappedSamples += played.length;
      this.#tappedUntilMs = startMs + played.length / this.#samplesPerMs;
    }
  }

  /** Reads audio from `position` on into `target`, at its volume. */
  #read(position: number, target: Int16Array): Int16Array {
    const count = this.#utterance.read(position, target);
    const samples = count < target.length ? target.subarray(0, count) : target;
    this.#volume.apply(samples, position);
    return samples;
  }

  #finish(): void {
    this.#finished = true;
    this.#listener.onFinished();
  }
}
