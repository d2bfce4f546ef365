import type { StageSpec } from '@calls/api-contract/call-spec';
import { withTimeout, type Timer } from '@calls/foundation/clock';
import type { CallContext } from './call-context.ts';
import type { SpeechEdge } from '../vad/speech-segmenter.ts';
import { SpeechInput } from './speech-input.ts';

/** How often audio is expected while the supervisor speaks; silence takes its place. */
const CHECK_EVERY_MS = 100;

export interface SupervisorSpeechOptions {
  context: CallContext;
  stage: StageSpec;
  sampleRateHz: number;
  onWords: (text: string, startedAtMs: number) => void;
  /** Called when there is enough speech to interrupt the agent. */
  onInterruption?: () => void;
  /** Called when part of the speech could not be transcribed. */
  onError: (error: Error) => void;
}

interface Utterance {
  id: number;
  startedAtMs: number;
  speaking: boolean;
  revision: number;
}

/** Transcribes a person who speaks in place of the agent: a supervisor, or the target of a warm transfer. */
export class SupervisorSpeech {
  readonly #options: SupervisorSpeechOptions;
  readonly #input: SpeechInput;
  #nextId = 1;
  #utterance: Utterance | null = null;
  readonly #waiting = new Set<() => void>();
  #finishing = false;
  /** Runs while the supervisor speaks. */
  #check: Timer | null = null;
  #receivesAudio = false;

  constructor(options: SupervisorSpeechOptions) {
    this.#options = options;
    const { context, stage, sampleRateHz } = options;
    const { services } = context;
    this.#input = new SpeechInput({
      inputSampleRateHz: sampleRateHz,
      detector: services.voiceActivity.createDetector(),
      speechToText: services.speechToText,
      transcription: { languageHint: stage.languageHint, keyTerms: stage.keyTerms },
      vad: stage.vad,
      buffersAudio: false,
      transcriptionLimitMs: services.limits.transcriptionMs,
      clock: services.clock,
      isEcho: () => false,
      listener: {
        onEdge: (edge) => this.#onEdge(edge),
        onWindow: () => undefined,
        onPause: () => undefined,
        onCompletion: () => undefined,
        onInterimTranscript: () => undefined,
        onTranscript: (_id, revision, text) => this.#onTranscript(revision, text),
        onTranscriptionFailed: (_id, revision) => this.#onTranscript(revision, ''),
        onError: options.onError,
        onDetectorAudio: () => undefined,
        onAudio: null,
      },
    });
  }

  push(samples: Int16Array): void {
    if (this.#finishing) return;
    this.#receivesAudio = true;
    this.#input.push(samples);
  }

  /** Resolves when the transcript of the last utterance is known, after the transcription limit at the latest, and closes. */
  async finish(): Promise<void> {
    this.#finishing = true;
    const { clock, limits } = this.#options.context.services;
    if (this.#utterance?.speaking) this.#onEdge('endpoint_reached');
    if (this.#utterance) {
      const known = new Promise<void>((resolve) => this.#waiting.add(resolve));
      await withTimeout(clock, known, limits.transcriptionMs, 'the transcript of a supervisor').catch(
        () => undefined,
      );
    }
    this.close();
  }

  /** Idempotent. */
  close(): void {
    this.#finishing = true;
    this.#utterance = null;
    this.#check?.cancel();
    this.#input.close();
    this.#settled();
  }

  #onEdge(edge: SpeechEdge): void {
    if (edge === 'speech_started') this.#start();
    if (edge === 'interruption_reached') this.#options.onInterruption?.();
    if (edge !== 'endpoint_reached' || !this.#utterance) return;
    this.#utterance.speaking = false;
    this.#utterance.revision += 1;
    this.#input.transcribe(this.#utterance.id, this.#utterance.revision);
  }

  #start(): void {
    if (this.#utterance) {
      // Its transcript is pending: one more transcript covers both parts.
      this.#utterance.speaking = true;
      this.#scheduleCheck();
      return;
    }
    const id = this.#nextId;
    this.#nextId += 1;
    const startedAtMs = this.#options.context.callTimeMs();
    this.#utterance = { id, startedAtMs, speaking: true, revision: 0 };
    this.#input.openUtterance(id);
    this.#scheduleCheck();
  }

  /** A supervisor who stops sending has stopped speaking. */
  #scheduleCheck(): void {
    this.#check?.cancel();
    this.#check = this.#options.context.services.clock.setTimer(CHECK_EVERY_MS, () => {
      if (!this.#utterance?.speaking) return;
      if (!this.#receivesAudio) this.#input.pushSilence(CHECK_EVERY_MS);
      this.#receivesAudio = false;
      this.#scheduleCheck();
    });
  }

  #onTranscript(revision: number, text: string): void {
    const utterance = this.#utterance;
    if (!utterance || utterance.speaking || revision !== utterance.revision) return;
    this.#utterance = null;
    this.#input.closeUtterance(utterance.id);
    if (text !== '') this.#options.onWords(text, utterance.startedAtMs);
    this.#settled();
  }

  #settled(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
