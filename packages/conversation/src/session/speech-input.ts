import type { VadSpec } from '@calls/api-contract/call-spec';
import { createResampler, type Resampler } from '@calls/audio/resampler';
import { SampleRing } from '@calls/audio/sample-ring';
import {
  SPEECH_RATE_HZ,
  type SpeechToText,
  type TranscriptionOptions,
  type TranscriptionStream,
} from '@calls/engine-ports/speech-to-text';
import {
  VAD_WINDOW_MS,
  VAD_WINDOW_SAMPLES,
  type VoiceActivityDetector,
} from '@calls/engine-ports/voice-activity-detector';
import { withTimeout, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { plainText } from '../transcript/plain-text.ts';
import type { UtteranceId } from '../turn/turn-types.ts';
import { SpeechSegmenter, type SpeechEdge } from '../vad/speech-segmenter.ts';
import type { WindowLevels } from '../vad/window-levels.ts';
import { MAX_VAD_LAG_MS, WindowScorer } from '../vad/window-scorer.ts';
import { MAX_ECHO_DELAY_MS } from './echo-correlation.ts';
import { InterimReports, type InterimReport } from './interim-reports.ts';
import { RollingAudioBuffer } from './rolling-audio-buffer.ts';

const SAMPLES_PER_MS = SPEECH_RATE_HZ / 1000;
/** Audio before the first speech window that is sent to speech-to-text: the detector misses soft onsets. */
const PRE_ROLL_MS = 300;
/**
 * Covers the pre-roll, and the windows that an edge and the next frame take. The ring grows while the detector lags. Its
 * size is always a multiple of a window, so that no window wraps around.
 */
const RING_MS = 16 * VAD_WINDOW_MS;
/** Further audio is held while the detector lags. */
const MAX_RING_MS = RING_MS + MAX_VAD_LAG_MS;
/** Longer audio is processed in parts, so that no part overwrites windows before they are scored. */
const MAX_PART_SAMPLES = SAMPLES_PER_MS * 100;
/** Audio buffered per utterance. */
const MAX_BUFFERED_MS = 30_000;
/** Number of newest windows whose arrival times are stored: about 2 s. */
const ARRIVALS = 64;
/** Number of silent windows after which a pause is reported. Short stops within phrases are shorter. */
const PAUSE_WINDOWS = 4;
/** Substitute for missing audio, in 20 ms steps. */
const SILENCE = new Int16Array(SAMPLES_PER_MS * 20);

export interface SpeechInputListener {
  /** `atMs`: media time of the window that caused the edge. */
  onEdge(edge: SpeechEdge, atMs: number): void;
  /** The utterance has paused for some 130 ms. */
  onPause(utterance: UtteranceId): void;
  /** The probability of speech of each window; `atMs`: media time at its end. */
  onWindow(probability: number, atMs: number): void;
  onInterimTranscript(utterance: UtteranceId, report: InterimReport): void;
  /**
   * Probability of speech-to-text that the turn is complete, for a transcript of all speech before the current pause. Called
   * before `onTranscript`.
   */
  onCompletion(utterance: UtteranceId, completion: number): void;
  onTranscript(utterance: UtteranceId, revision: number, text: string): void;
  onTranscriptionFailed(utterance: UtteranceId, revision: number): void;
  onError(error: Error): void;
  /** All audio passed to the detector, including substituted silence, with its media time. */
  onDetectorAudio(samples: Int16Array, atMs: number): void;
  /** The user's audio at 16 kHz as it arrives, without substituted silence. Null if it is not recorded. */
  onAudio: ((samples: Int16Array) => void) | null;
}

export interface SpeechInputOptions {
  /** Whether the audio up to this media time is an echo of the agent. */
  isEcho: (atMs: number) => boolean;
  inputSampleRateHz: number;
  detector: VoiceActivityDetector;
  speechToText: SpeechToText;
  /** Options of speech-to-text. */
  transcription: TranscriptionOptions;
  vad: VadSpec;
  /** Whether to buffer the audio of the open utterance for end-of-turn detection or the model. */
  buffersAudio: boolean;
  /** Timeout for the transcript of an utterance. */
  transcriptionLimitMs: number;
  clock: Clock;
  listener: SpeechInputListener;
}

interface OpenUtterance {
  id: UtteranceId;
  stream: TranscriptionStream;
  interim: InterimReports;
  /** Null if audio is not buffered. */
  sound: RollingAudioBuffer | null;
  abort: AbortController;
}

/**
 * Converts the user's audio to speech edges and transcripts: input rate → 16 kHz → windows → detector → edges;
 * audio of the open utterance goes to speech-to-text. Media time is counted in samples.
 */
export class SpeechInput {
  readonly #options: SpeechInputOptions;
  readonly #resampler: Resampler;
  readonly #ring = new SampleRing(RING_MS * SAMPLES_PER_MS);
  readonly #segmenter: SpeechSegmenter;
  readonly #judge: WindowScorer;
  #transcription: TranscriptionOptions;
  #buffersAudio: boolean;
  #utterance: OpenUtterance | null = null;
  #windowsPushed = 0;
  #windowsJudged = 0;
  #lastSpeechArrivedMs = 0;
  /** Media time of the end of the newest speech. */
  #speechEndMs = 0;
  /** Arrival time on the monotonic clock minus media time, for the newest windows. */
  readonly #offsetsMs = new Float64Array(ARRIVALS);
  /** Samples that arrived together with the audio being written, and are written after it. */
  #unwrittenSamples = 0;
  /** Until when the microphone may pick up the agent, on the monotonic clock. */
  #agentAudibleUntilMs = -Infinity;
  #closed = false;

  constructor(options: SpeechInputOptions) {
    this.#options = options;
    this.#resampler = createResampler(options.inputSampleRateHz, SPEECH_RATE_HZ);
    this.#segmenter = new SpeechSegmenter(options.vad);
    this.#judge = new WindowScorer({
      detector: options.detector,
      onProbability: (...window) => this.#judged(...window),
      onError: (error) => options.listener.onError(error),
    });
    this.#transcription = options.transcription;
    this.#buffersAudio = options.buffersAudio;
  }

  /** Applies from the next utterance on. */
  reconfigure(settings: Pick<SpeechInputOptions, 'vad' | 'transcription' | 'buffersAudio'>): void {
    this.#segmenter.reconfigure(settings.vad);
    this.#transcription = settings.transcription;
    this.#buffersAudio = settings.buffersAudio;
  }

  /** Media time received so far. */
  get receivedMs(): number {
    return this.#ring.writtenSamples / SAMPLES_PER_MS;
  }

  /** See SpeechSegmenter. */
  endPauseAfter(durationMs: number): void {
    this.#segmenter.endPauseAfter(durationMs);
  }

  /** Later speech begins a new utterance, without further edges of the current one. */
  endUtterance(): void {
    this.#segmenter.endUtterance();
  }

  /** When the last speech window arrived, on the monotonic clock. */
  get lastSpeechArrivedMs(): number {
    return this.#lastSpeechArrivedMs;
  }

  /**
   * When the end of the newest speech arrived, on the monotonic clock. Assumes the delay of the least delayed audio
   * since then, as in a recording (ArrivalTrack). Known only in a pause.
   */
  get speechEndArrivedMs(): number {
    const first = Math.ceil(this.#speechEndMs / VAD_WINDOW_MS);
    let offsetMs = Infinity;
    for (
      let window = this.#windowsJudged;
      window >= first && window > this.#windowsJudged - ARRIVALS;
      window -= 1
    )
      offsetMs = Math.min(offsetMs, this.#offsetsMs[window % ARRIVALS] ?? Infinity);
    return this.#speechEndMs + offsetMs;
  }

  push(samples: Int16Array): void {
    if (this.#closed) return;
    const taken = this.#resampler.process(samples);
    this.#options.listener.onAudio?.(taken);
    for (let from = 0; from < taken.length; from += MAX_PART_SAMPLES)
      this.#take(taken.subarray(from, from + MAX_PART_SAMPLES), taken.length - from - MAX_PART_SAMPLES);
  }

  /** Substitutes silence for missing audio, so that media time follows the clock. */
  pushSilence(durationMs: number): void {
    for (let leftMs = durationMs; leftMs > 0 && !this.#closed; leftMs -= 20)
      this.#take(SILENCE, (leftMs - 20) * SAMPLES_PER_MS);
  }

  /** The agent is audible now; the microphone may hear it. */
  noteAgentAudio(): void {
    this.#agentAudibleUntilMs = this.#options.clock.nowMs() + MAX_ECHO_DELAY_MS;
  }

  openUtterance(id: UtteranceId): void {
    this.#closeCurrent();
    const abort = new AbortController();
    const stream = this.#options.speechToText.open(this.#transcription, abort.signal);
    const sound = this.#buffersAudio ? new RollingAudioBuffer(MAX_BUFFERED_MS * SAMPLES_PER_MS) : null;
    const sinceStartSamples = this.#ring.writtenSamples - (this.#windowsJudged - 1) * VAD_WINDOW_SAMPLES;
    const begun = this.#ring.readLast(sinceStartSamples + PRE_ROLL_MS * SAMPLES_PER_MS);
    const startMs = this.receivedMs - begun.length / SAMPLES_PER_MS;
    const utterance: OpenUtterance = { id, stream, interim: new InterimReports(startMs), sound, abort };
    this.#utterance = utterance;
    stream.push(begun);
    sound?.push(begun);
    void this.#followInterims(utterance);
  }

  transcribe(id: UtteranceId, revision: number): void {
    const utterance = this.#utterance;
    const { listener, clock, transcriptionLimitMs } = this.#options;
    if (utterance?.id !== id) return;
    withTimeout(clock, utterance.stream.finalize(), transcriptionLimitMs, 'speech-to-text').then(
      ({ text, completion }) => {
        if (completion !== undefined) listener.onCompletion(id, completion);
        listener.onTranscript(id, revision, plainText(text.trim()));
      },
      (thrown: unknown) => {
        if (utterance.abort.signal.aborted || isSuperseded(thrown)) return;
        listener.onError(toError(thrown));
        listener.onTranscriptionFailed(id, revision);
      },
    );
  }

  /**
   * Audio of the open utterance so far, including the pre-roll, at most the last 30 s. Empty if audio is not
   * buffered. Returns a copy.
   */
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

  /** `followed`: number of samples that arrived at the same time and come after `samples`. */
  #take(samples: Int16Array, followed: number): void {
    if (samples.length === 0) return;
    this.#unwrittenSamples = Math.max(0, followed);
    this.#options.listener.onDetectorAudio(samples, this.receivedMs);
    this.#makeRoom(samples.length);
    this.#ring.write(samples);
    this.#utterance?.stream.push(samples);
    this.#utterance?.sound?.push(samples);
    this.#pushWindows();
  }

  /** Passes each window that is complete to the detector. */
  #pushWindows(): void {
    while (this.#ring.writtenSamples - this.#windowsPushed * VAD_WINDOW_SAMPLES >= VAD_WINDOW_SAMPLES) {
      const window = this.#ring.block(this.#windowsPushed * VAD_WINDOW_SAMPLES, VAD_WINDOW_SAMPLES);
      this.#windowsPushed += 1;
      const later =
        this.#ring.writtenSamples - this.#windowsPushed * VAD_WINDOW_SAMPLES + this.#unwrittenSamples;
      this.#judge.push(window, this.#options.clock.nowMs() - later / SAMPLES_PER_MS);
    }
  }

  /** Call before `samples` are written. Unscored windows stay in the ring, with the pre-roll. */
  #makeRoom(samples: number): void {
    const unscored = this.#ring.writtenSamples + samples - this.#windowsJudged * VAD_WINDOW_SAMPLES;
    const needed = unscored + (PRE_ROLL_MS * SAMPLES_PER_MS + VAD_WINDOW_SAMPLES);
    if (needed <= this.#ring.capacitySamples) return;
    const windows = Math.ceil((2 * needed) / VAD_WINDOW_SAMPLES);
    this.#ring.reserve(Math.min(windows * VAD_WINDOW_SAMPLES, MAX_RING_MS * SAMPLES_PER_MS));
  }

  #judged(probability: number, arrivedMs: number, levels: WindowLevels): void {
    this.#windowsJudged += 1;
    const atMs = this.#windowsJudged * VAD_WINDOW_MS;
    this.#offsetsMs[this.#windowsJudged % ARRIVALS] = arrivedMs - atMs;
    const silentBefore = this.#segmenter.silentWindows;
    const agentIsAudible = arrivedMs < this.#agentAudibleUntilMs;
    const mayBeEcho = agentIsAudible && this.#segmenter.isActive(probability);
    const isEcho = mayBeEcho && this.#options.isEcho(atMs);
    const edges = this.#segmenter.step(isEcho ? 0 : probability, levels, agentIsAudible);
    const { silentWindows, isSpeech, beforeSilenceMs } = this.#segmenter;
    if (isSpeech) this.#lastSpeechArrivedMs = arrivedMs;
    if (silentWindows > 0 && silentBefore === 0) this.#speechEndMs = atMs - VAD_WINDOW_MS - beforeSilenceMs;
    this.#options.listener.onWindow(probability, atMs);
    for (const edge of edges) this.#options.listener.onEdge(edge, atMs);
    if (silentWindows > 0 && silentBefore === 0 && this.#utterance)
      this.#report(this.#utterance.id, this.#utterance.interim.paused(this.#speechEndMs));
    if (silentBefore < PAUSE_WINDOWS && silentWindows >= PAUSE_WINDOWS && this.#utterance)
      this.#options.listener.onPause(this.#utterance.id);
  }

  #closeCurrent(): void {
    this.#utterance?.abort.abort(new Error('utterance closed'));
    this.#utterance?.stream.close();
    this.#utterance = null;
  }

  async #followInterims(utterance: OpenUtterance): Promise<void> {
    try {
      for await (const interim of utterance.stream.interims) {
        const speechEndMs = this.#segmenter.silentWindows > 0 ? this.#speechEndMs : null;
        this.#report(utterance.id, utterance.interim.received(interim, speechEndMs));
        if (interim.completion !== undefined && utterance.interim.coversSpeech(speechEndMs))
          this.#options.listener.onCompletion(utterance.id, interim.completion);
      }
    } catch (thrown) {
      // `finalize` reports the same error; interim transcripts are optional.
      if (this.#utterance === utterance) this.#options.listener.onError(toError(thrown));
    }
  }

  #report(id: UtteranceId, report: InterimReport | null): void {
    if (report) this.#options.listener.onInterimTranscript(id, report);
  }
}

function isSuperseded(thrown: unknown): boolean {
  return thrown instanceof Error && 'kind' in thrown && thrown.kind === 'superseded';
}
