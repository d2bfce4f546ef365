import type { VadSpec } from '@calls/api-contract/call-spec';
import { FrameChunker } from '@calls/audio/frame-chunker';
import { createResampler, type Resampler } from '@calls/audio/resampler';
import { SampleRing } from '@calls/audio/sample-ring';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { withTimeout } from '@calls/foundation/timeout';
import type { SpeechToText, TranscriptionStream } from '../ports/speech-to-text.ts';
import {
  VAD_WINDOW_MS,
  VAD_WINDOW_SAMPLES,
  type VoiceActivityDetector,
} from '../ports/voice-activity-detector.ts';
import type { UtteranceId } from '../turn/turn-types.ts';
import { RollingAudioBuffer } from './rolling-audio-buffer.ts';
import { SpeechSegmenter, type SpeechEdge } from '../vad/speech-segmenter.ts';
import { MAX_VAD_LAG_MS, WindowScorer } from '../vad/window-scorer.ts';

/** Of the sound that detector and speech-to-text take. */
export const SPEECH_RATE_HZ = 16_000;
const SAMPLES_PER_MS = SPEECH_RATE_HZ / 1000;
/** Audio before the first window of speech that the recogniser gets too: soft onsets are below the detector. */
const PRE_ROLL_MS = 300;
/** Covers the pre-roll, the time the detector takes at most, and the windows that an edge and the next frame take. */
const RING_MS = PRE_ROLL_MS + MAX_VAD_LAG_MS + 200;
/** Of one utterance. */
const MAX_KEPT_MS = 30_000;
/** What missing audio is replaced by, 20 ms at a time. */
const SILENCE = new Int16Array(SAMPLES_PER_MS * 20);

export interface SpeechInputListener {
  /** `atMs`: media time of the window that caused it. */
  onEdge(edge: SpeechEdge, atMs: number): void;
  onInterimTranscript(utterance: UtteranceId, text: string): void;
  onTranscript(utterance: UtteranceId, revision: number, text: string): void;
  onTranscriptionFailed(utterance: UtteranceId, revision: number): void;
  onFault(fault: Error): void;
  /** All that the detector takes, at its media time: silence for what is missing included. */
  onDetectorAudio(samples: Int16Array, atMs: number): void;
  /** The user's audio at 16 kHz as it arrives; nothing is made up for what is missing. Null where nobody records. */
  onAudio: ((samples: Int16Array) => void) | null;
}

export interface SpeechInputOptions {
  inputSampleRateHz: number;
  detector: VoiceActivityDetector;
  speechToText: SpeechToText;
  languageHint: string | null;
  vad: VadSpec;
  /** The sound of the open utterance is kept for others than the recogniser. */
  buffersAudio: boolean;
  /** Longest wait for the words of an utterance. */
  transcriptionLimitMs: number;
  clock: Clock;
  listener: SpeechInputListener;
}

interface OpenUtterance {
  id: UtteranceId;
  stream: TranscriptionStream;
  /** Null where nobody else wants it. */
  sound: RollingAudioBuffer | null;
  abort: AbortController;
}

/**
 * The user's side of a call: audio at the input rate → 16 kHz → windows → detector → edges, and the audio of the open
 * utterance to the recogniser. Media time is counted in samples.
 */
export class SpeechInput {
  readonly #options: SpeechInputOptions;
  readonly #resampler: Resampler;
  readonly #chunker = new FrameChunker(VAD_WINDOW_SAMPLES);
  readonly #ring = new SampleRing(RING_MS * SAMPLES_PER_MS);
  readonly #segmenter: SpeechSegmenter;
  readonly #judge: WindowScorer;
  #languageHint: string | null;
  #buffersAudio: boolean;
  #utterance: OpenUtterance | null = null;
  #windowsJudged = 0;
  #lastSpeechArrivedMs = 0;
  #closed = false;

  constructor(options: SpeechInputOptions) {
    this.#options = options;
    this.#resampler = createResampler(options.inputSampleRateHz, SPEECH_RATE_HZ);
    this.#segmenter = new SpeechSegmenter(options.vad);
    this.#judge = new WindowScorer({
      detector: options.detector,
      onProbability: (probability, arrivedMs) => this.#judged(probability, arrivedMs),
      onFault: (fault) => options.listener.onFault(fault),
    });
    this.#languageHint = options.languageHint;
    this.#buffersAudio = options.buffersAudio;
  }

  /** From the next utterance on; one under way ends as it began. */
  reconfigure(settings: Pick<SpeechInputOptions, 'vad' | 'languageHint' | 'buffersAudio'>): void {
    this.#segmenter.reconfigure(settings.vad);
    this.#languageHint = settings.languageHint;
    this.#buffersAudio = settings.buffersAudio;
  }

  /** Media time received so far. */
  get receivedMs(): number {
    return this.#ring.writtenSamples / SAMPLES_PER_MS;
  }

  /** When the last window that held speech had arrived, on the clock. */
  get lastSpeechArrivedMs(): number {
    return this.#lastSpeechArrivedMs;
  }

  push(samples: Int16Array): void {
    if (this.#closed) return;
    const taken = this.#resampler.process(samples);
    this.#options.listener.onAudio?.(taken);
    this.#take(taken);
  }

  /** Takes missing audio as silence, so that media time keeps up with the clock. */
  pushSilence(durationMs: number): void {
    for (let leftMs = durationMs; leftMs > 0 && !this.#closed; leftMs -= 20) this.#take(SILENCE);
  }

  openUtterance(id: UtteranceId): void {
    this.#closeCurrent();
    const abort = new AbortController();
    const stream = this.#options.speechToText.open({ languageHint: this.#languageHint }, abort.signal);
    const sound = this.#buffersAudio ? new RollingAudioBuffer(MAX_KEPT_MS * SAMPLES_PER_MS) : null;
    this.#utterance = { id, stream, sound, abort };
    const sinceStartSamples = this.#ring.writtenSamples - (this.#windowsJudged - 1) * VAD_WINDOW_SAMPLES;
    const begun = this.#ring.readLast(sinceStartSamples + PRE_ROLL_MS * SAMPLES_PER_MS);
    stream.push(begun);
    sound?.push(begun);
    void this.#followPartials(id, stream);
  }

  transcribe(id: UtteranceId, revision: number): void {
    const utterance = this.#utterance;
    const { listener, clock, transcriptionLimitMs } = this.#options;
    if (utterance?.id !== id) return;
    withTimeout(clock, utterance.stream.finalize(), transcriptionLimitMs, 'speech recognition').then(
      ({ text }) => listener.onTranscript(id, revision, text.trim()),
      (thrown: unknown) => {
        if (utterance.abort.signal.aborted || isSuperseded(thrown)) return;
        listener.onFault(toError(thrown));
        listener.onTranscriptionFailed(id, revision);
      },
    );
  }

  /** The sound of the open utterance so far, pre-roll included; its last 30 s. Empty where it isn't kept. A copy. */
  utteranceAudio(id: UtteranceId): Int16Array {
    const sound = this.#utterance?.id === id ? this.#utterance.sound : null;
    return sound?.read() ?? new Int16Array(0);
  }

  closeUtterance(id: UtteranceId): void {
    if (this.#utterance?.id === id) this.#closeCurrent();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#closeCurrent();
    this.#resampler.close();
    this.#judge.close();
  }

  #take(samples: Int16Array): void {
    if (samples.length === 0) return;
    this.#options.listener.onDetectorAudio(samples, this.receivedMs);
    this.#ring.write(samples);
    this.#utterance?.stream.push(samples);
    this.#utterance?.sound?.push(samples);
    this.#chunker.push(samples, this.#onWindow);
  }

  readonly #onWindow = (window: Int16Array): void => {
    this.#judge.push(window, this.#options.clock.nowMs());
  };

  #judged(probability: number, arrivedMs: number): void {
    this.#windowsJudged += 1;
    if (this.#segmenter.isSpeech(probability)) this.#lastSpeechArrivedMs = arrivedMs;
    const edges = this.#segmenter.step(probability);
    if (edges.length === 0) return;
    const atMs = this.#windowsJudged * VAD_WINDOW_MS;
    for (const edge of edges) this.#options.listener.onEdge(edge, atMs);
  }

  #closeCurrent(): void {
    this.#utterance?.abort.abort(new Error('utterance closed'));
    this.#utterance?.stream.close();
    this.#utterance = null;
  }

  async #followPartials(id: UtteranceId, stream: TranscriptionStream): Promise<void> {
    try {
      for await (const { text } of stream.partials) {
        const words = text.trim();
        if (words !== '') this.#options.listener.onInterimTranscript(id, words);
      }
    } catch (thrown) {
      // finalize reports the same fault; interim words are only ever a help.
      if (this.#utterance?.id === id) this.#options.listener.onFault(toError(thrown));
    }
  }
}

function isSuperseded(thrown: unknown): boolean {
  return thrown instanceof Error && 'fault' in thrown && thrown.fault === 'superseded';
}
