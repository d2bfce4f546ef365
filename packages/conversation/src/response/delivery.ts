import type { Clock } from '@calls/foundation/clock';
import type { AudioOutput } from '../ports/media-transport.ts';
import type { Pacer } from '../playout/pacer.ts';
import { Playout, type AudioMonitor } from '../playout/playout.ts';
import type { VoiceGeneration } from './voice-generation.ts';
import type { TextGeneration } from './text-generation.ts';

export interface DeliveryListener {
  /** See PlayoutListener. */
  onStarted(): void;
  onSilent(): void;
  onFinished(failed: boolean): void;
}

/** A response that was stopped is repeated from the start of its sentence, unless more of the sentence was played. */
const MAX_REPEATED_CHARS = 80;

/** Volume of a ducked response: -12 dB. */
const DUCKED_VOLUME = 0.25;
/**
 * How late a change of the volume may become audible. Otherwise the client's buffer is cleared and its audio is sent
 * again, which skips the audio that is on the way.
 */
const MAX_LAG_MS = { lower: 100, raise: 300 };

/** Delivers a response to the user. */
export interface Delivery {
  /** Delivers what the generation has produced since the last call. */
  progress(): void;
  /** Continues at lower volume. Text pauses. */
  duck(): void;
  pause(): void;
  /** Continues at full volume. */
  resume(): void;
  /** Stops. The transcript contains what was played so far. */
  stop(): void;
  /** The text with which to continue after `stop`; null if the response has to be generated again. */
  readonly remainder: string | null;
}

export interface VoiceDeliveryOptions {
  generation: VoiceGeneration;
  output: AudioOutput;
  pacer: Pacer;
  clock: Clock;
  listener: DeliveryListener;
  monitor: AudioMonitor;
}

/** Plays a response and updates the transcript as its words are played. */
export class VoiceDelivery implements Delivery {
  readonly #options: VoiceDeliveryOptions;
  readonly #playout: Playout;
  #shownChars = 0;
  /** Index of the first character of the sentence that is playing. */
  #sentenceChar = 0;
  /** Index of the segment that is playing. */
  #segment = 0;
  /** Whether the current segment has started to play; its first word completes later. */
  #begun = false;
  #stopped = false;
  #audible = false;

  constructor(options: VoiceDeliveryOptions) {
    this.#options = options;
    const { generation, output, listener, monitor, pacer } = options;
    this.#playout = new Playout(generation.utterance, output.outputLeadMs, output, {
      onStarted: () => {
        this.#audible = true;
        listener.onStarted();
      },
      onSilent: () => listener.onSilent(),
      onPlayed: (position) => this.#show(position),
      onFinished: () => {
        this.#show(generation.utterance.writtenSamples);
        this.#stopped = true;
        pacer.remove(this.#playout);
        generation.record.close();
        listener.onFinished(generation.utterance.failed);
      },
      ...monitor,
    });
    pacer.add(this.#playout);
  }

  progress(): void {
    if (!this.#stopped) this.#playout.pump(this.#options.clock.nowMs());
  }

  pause(): void {
    if (this.#stopped) return;
    this.#options.pacer.remove(this.#playout);
    this.#playout.pause(this.#options.clock.nowMs());
    if (this.#audible) this.#options.output.clear();
  }

  duck(): void {
    this.#playAt(DUCKED_VOLUME, MAX_LAG_MS.lower);
  }

  resume(): void {
    this.#playAt(1, MAX_LAG_MS.raise);
  }

  stop(): void {
    if (this.#stopped) return;
    const { pacer, clock, output, generation } = this.#options;
    this.#stopped = true;
    pacer.remove(this.#playout);
    if (!this.#playout.paused) {
      this.#playout.pause(clock.nowMs());
      if (this.#audible) output.clear();
    }
    generation.record.close();
  }

  get remainder(): string | null {
    const isShort = this.#shownChars - this.#sentenceChar <= MAX_REPEATED_CHARS;
    return this.#options.generation.textFrom(isShort ? this.#sentenceChar : this.#shownChars);
  }

  #playAt(volume: number, maxLagMs: number): void {
    if (this.#stopped) return;
    const { output, pacer, clock } = this.#options;
    if (!this.#playout.paused && output.outputLeadMs > maxLagMs) this.pause();
    this.#playout.setVolume(volume);
    if (!this.#playout.paused) return;
    pacer.add(this.#playout);
    this.#playout.resume(clock.nowMs());
  }

  #show(position: number): void {
    const { utterance, record } = this.#options.generation;
    this.#sentenceChar = Math.max(0, utterance.currentSentenceChar(position));
    const playedChars =
      utterance.complete && position >= utterance.writtenSamples
        ? utterance.text.length
        : utterance.playedChars(position);
    for (;;) {
      const current = utterance.segments[this.#segment];
      if (!current) return;
      const { segment, startChar, endChar } = current;
      const entry = record.entry(segment);
      if (!this.#begun && utterance.currentSentenceChar(position) >= startChar) {
        this.#begun = true;
        entry?.begin();
      }
      const until = Math.min(playedChars, endChar ?? playedChars);
      if (until > this.#shownChars) {
        entry?.append(utterance.text.slice(this.#shownChars, until));
        this.#shownChars = until;
      }
      if (endChar === null || playedChars < endChar) return;
      entry?.close();
      this.#segment += 1;
      this.#begun = false;
    }
  }
}

/** Shows a response as text while it is generated. */
export class TextDelivery implements Delivery {
  /** All that was generated so far is shown. */
  readonly remainder = null;
  readonly #generation: TextGeneration;
  readonly #listener: Pick<DeliveryListener, 'onStarted' | 'onFinished'>;
  #segment = 0;
  #shownChars = 0;
  #started = false;
  #stopped = false;
  #paused = false;

  constructor(generation: TextGeneration, listener: Pick<DeliveryListener, 'onStarted' | 'onFinished'>) {
    this.#generation = generation;
    this.#listener = listener;
  }

  progress(): void {
    if (this.#stopped || this.#paused) return;
    const { segments, complete, record, steps } = this.#generation;
    for (let current = segments[this.#segment]; current; current = segments[this.#segment]) {
      const entry = record.entry(current.segment);
      if (this.#shownChars === 0 && current.text !== '') entry?.begin();
      entry?.append(current.text.slice(this.#shownChars));
      if (!this.#started && current.text !== '') {
        this.#started = true;
        this.#listener.onStarted();
      }
      this.#shownChars = current.text.length;
      if (!current.complete) break;
      entry?.close();
      this.#segment += 1;
      this.#shownChars = 0;
    }
    if (!complete) return;
    this.#stopped = true;
    record.close();
    this.#listener.onFinished(steps.failed);
  }

  duck(): void {
    this.pause();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.progress();
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#generation.record.close();
  }
}
