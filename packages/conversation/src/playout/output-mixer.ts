import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { AudioFormat, AudioOutput } from '../ports/media-transport.ts';
import { FRAME_MS } from './agent-utterance.ts';
import { LiveInput } from './live-input.ts';
import { LoopedClip } from './looped-clip.ts';
import type { Paced, Pacer } from './pacer.ts';
import type { AudioTap } from './playout.ts';

/**
 * How far ahead background audio is written while the agent is silent. Small, because the agent's voice starts
 * after it.
 */
const BACKGROUND_LEAD_MS = 2 * FRAME_MS;
/** How far ahead audio is written while people speak live; a larger lead delays them. */
const LIVE_LEAD_MS = 3 * FRAME_MS;
/** A live voice that waits to be mixed; the oldest beyond it is dropped. */
export const MAX_WAITING_MS = 240;
/** The agent's audio that waits to be mixed with live voices. */
const MAIN_CAPACITY_MS = 240;

export interface OutputMixerOptions {
  output: AudioOutput;
  pacer: Pacer;
  clock: Clock;
  /** The output failed; nothing more is written. */
  onFatalError: (error: Error) => void;
}

export interface LiveVoiceOptions {
  inputRateHz: number;
  capacityMs?: number;
  /** Receives each frame of the voice as it is sent, with the time at which it is played. */
  onFrame: AudioTap | null;
}

/** A live voice in the mix. */
export type LiveVoice = Pick<LiveInput, 'push' | 'clear' | 'close'>;

/**
 * The one writer of an output. Mixes what is written to it (the agent's voice, music) with looped background
 * audio and with the live voices of people. Without these it passes audio through. It reports when written audio
 * will play. When the output is cleared, the rest of the mix continues from the playback position.
 */
export class OutputMixer implements AudioOutput, Paced {
  readonly outputFormat: AudioFormat;
  readonly #options: OutputMixerOptions;
  readonly #samplesPerMs: number;
  readonly #frameSamples: number;
  /** Buffers, allocated with the first mix. */
  #silence = new Int16Array(0);
  #sum = new Int32Array(0);
  #mixed = new Int16Array(0);
  #background: LoopedClip | null = null;
  #voices: readonly LiveInput[] = [];
  /** What was written and waits to be mixed with live voices; null without them. */
  #main: LiveInput | null = null;
  /** When all audio sent to the output will have been played. */
  #endMs = -Infinity;
  #closed = false;

  constructor(options: OutputMixerOptions) {
    this.#options = options;
    this.outputFormat = options.output.outputFormat;
    const { sampleRateHz } = this.outputFormat;
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#frameSamples = Math.round(FRAME_MS * this.#samplesPerMs);
  }

  get outputLeadMs(): number {
    const { outputLeadMs } = this.#options.output;
    return this.#main ? Math.min(LIVE_LEAD_MS, Math.max(2 * FRAME_MS, outputLeadMs)) : outputLeadMs;
  }

  /** Starts background audio. `clip` has the output's rate, is not empty, and must not be modified. */
  playBackground(clip: Int16Array, volume: number): void {
    if (this.#closed) return;
    this.#background = new LoopedClip(clip, volume);
    this.#wake();
  }

  /** Adds the live voice of a person. The caller must close it. */
  addVoice({ inputRateHz, capacityMs = MAX_WAITING_MS, onFrame }: LiveVoiceOptions): LiveVoice {
    const outputRateHz = this.outputFormat.sampleRateHz;
    const [startMs, rewindMs] = [LIVE_LEAD_MS, LIVE_LEAD_MS + FRAME_MS];
    const voice = new LiveInput({ inputRateHz, outputRateHz, capacityMs, startMs, rewindMs, onFrame });
    if (this.#closed) voice.close();
    else {
      this.#voices = [...this.#voices, voice];
      this.#main ??= new LiveInput({
        ...{ inputRateHz: outputRateHz, outputRateHz, capacityMs: MAIN_CAPACITY_MS },
        ...{ startMs: 0, rewindMs: 0, onFrame: null },
      });
      this.#wake();
    }
    return {
      push: (samples) => voice.push(samples),
      clear: () => voice.clear(),
      close: () => this.#removeVoice(voice),
    };
  }

  /** Stops the background audio and the live voices. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#background = null;
    for (const voice of this.#voices) voice.close();
    this.#voices = [];
    this.#main = null;
    this.#options.pacer.remove(this);
  }

  /** See PlayoutSink. */
  write(samples: Int16Array, nowMs = this.#options.clock.nowMs()): void {
    const main = this.#main;
    if (!main) return this.#send(samples, nowMs);
    const capacity = MAIN_CAPACITY_MS * this.#samplesPerMs;
    while (main.waiting > 0 && main.waiting + samples.length > capacity) this.#sendMix(nowMs);
    main.push(samples);
  }

  clear(): void {
    const { output, clock } = this.#options;
    const nowMs = clock.nowMs();
    output.clear();
    this.#main?.clear();
    const unplayed = Math.round(this.#aheadMs(nowMs) * this.#samplesPerMs);
    this.#background?.rewind(unplayed);
    for (const voice of this.#voices) voice.rewind(unplayed);
    this.#endMs = Math.min(this.#endMs, nowMs);
    this.pump(nowMs);
  }

  playoutDelayMs(nowMs: number): number {
    const aheadMs = Math.max(this.#aheadMs(nowMs), this.#options.output.playoutDelayMs?.(nowMs) ?? 0);
    return aheadMs + (this.#main?.waiting ?? 0) / this.#samplesPerMs;
  }

  playbackLagMs(nowMs: number): number {
    return this.#options.output.playbackLagMs?.(nowMs) ?? 0;
  }

  /** Writes the frames that are due. Never throws. */
  pump(nowMs: number): void {
    try {
      while (this.#isDue(nowMs)) this.#sendMix(nowMs);
    } catch (thrown) {
      this.close();
      this.#options.onFatalError(toError(thrown));
    }
  }

  #wake(): void {
    if (this.#silence.length === 0) this.#silence = new Int16Array(this.#frameSamples);
    // Runs after the voices, so that it fills only what they leave silent.
    this.#options.pacer.addLast(this);
  }

  #removeVoice(voice: LiveInput): void {
    voice.close();
    if (!this.#voices.includes(voice)) return;
    this.#voices = this.#voices.filter((each) => each !== voice);
    if (this.#voices.length > 0) return;
    const nowMs = this.#options.clock.nowMs();
    while (this.#main && this.#main.waiting > 0) this.#sendMix(nowMs);
    this.#main = null;
    if (!this.#background) this.#options.pacer.remove(this);
  }

  #aheadMs(nowMs: number): number {
    return Math.max(0, this.#endMs - nowMs);
  }

  #isDue(nowMs: number): boolean {
    const aheadMs = this.#aheadMs(nowMs);
    if (this.#main) return aheadMs + FRAME_MS <= this.outputLeadMs && this.#hasMix(this.#main, aheadMs);
    const leadMs = Math.min(BACKGROUND_LEAD_MS, Math.max(FRAME_MS, this.outputLeadMs));
    return this.#background !== null && aheadMs + FRAME_MS <= leadMs;
  }

  /**
   * Whether to write the next frame. False while a voice that is playing lacks audio, unless the output is about to run
   * dry.
   */
  #hasMix(main: LiveInput, aheadMs: number): boolean {
    let hasAudio = this.#background !== null || main.waiting > 0;
    for (const voice of this.#voices) {
      if (aheadMs >= FRAME_MS && voice.isLate(this.#frameSamples)) return false;
      hasAudio ||= voice.isReady(this.#frameSamples, aheadMs);
    }
    return hasAudio;
  }

  /** Writes the next frame of the mix. */
  #sendMix(nowMs: number): void {
    const aheadMs = this.#aheadMs(nowMs);
    const main = this.#main;
    main?.schedule(Math.min(this.#frameSamples, Math.max(1, main.waiting)), aheadMs);
    for (const voice of this.#voices) voice.schedule(this.#frameSamples, aheadMs);
    this.#send(this.#silence, nowMs);
  }

  #send(samples: Int16Array, nowMs: number): void {
    const { output } = this.#options;
    const startMs = Math.max(this.#endMs, nowMs);
    output.write(this.#background || this.#main ? this.#mix(samples, startMs) : samples);
    this.#endMs = startMs + samples.length / this.#samplesPerMs;
  }

  /** Returns a buffer that the next call reuses. */
  #mix(samples: Int16Array, startMs: number): Int16Array {
    const count = samples.length;
    if (this.#sum.length < count) {
      this.#sum = new Int32Array(count);
      this.#mixed = new Int16Array(count);
    }
    const sum = this.#sum;
    sum.set(samples);
    this.#main?.addTo(sum, count, startMs);
    for (const voice of this.#voices) voice.addTo(sum, count, startMs);
    this.#background?.addTo(sum, count);
    const mixed = count === this.#mixed.length ? this.#mixed : this.#mixed.subarray(0, count);
    for (let i = 0; i < count; i += 1) {
      const value = sum[i] ?? 0;
      mixed[i] = value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value;
    }
    return mixed;
  }
}
