import { ArrivalSchedule } from './arrival-schedule.ts';
import type { CallerLine, CallerMedium, CreateCall } from './callers/caller-medium.ts';
import { ALIGNED_FRAMES, FRAME_MS, type Script, type Utterance } from './utterances.ts';

const ANSWER_LIMIT_MS = 10_000;

/** Measurements of all calls. Except for the join times and `lost`, they are recorded only while `isOpen`. */
export interface Measurements {
  isOpen: boolean;
  /** Time from the start of the join until the socket is open, when the call has its worker. */
  openedMs: number[];
  /** Time from the open socket to the start of the call. */
  joinedMs: number[];
  /** Time from the open socket to the agent's first audio. */
  firstAudioMs: number[];
  /** Time from the last frame of speech to the first audio of the response. */
  answerMs: number[];
  frameLatenessMs: number[];
  /** Number of times playback stopped within a response for lack of audio. */
  gaps: number;
  /** Turns with a response before the utterance was over. */
  early: number;
  /** Turns without a response. */
  unanswered: number;
  /** Close reasons of calls that ended early. */
  lost: string[];
}

export function noMeasurements(): Measurements {
  return {
    isOpen: false,
    openedMs: [],
    joinedMs: [],
    firstAudioMs: [],
    answerMs: [],
    frameLatenessMs: [],
    gaps: 0,
    early: 0,
    unanswered: 0,
    lost: [],
  };
}

type Phase =
  /** The agent has not finished its response. */
  | { kind: 'agentSpeaking'; hasAudio: boolean }
  | { kind: 'pausing'; untilMs: number }
  | { kind: 'speaking'; utterance: Utterance; frame: number; lastSpeechMs: number | null; answered: boolean }
  | { kind: 'ended' };

export interface BenchCallOptions {
  medium: CallerMedium;
  createCall: CreateCall;
  script: Script;
  measurements: Measurements;
  random: () => number;
}

/**
 * A caller that talks until it is stopped: waits for the end of the agent's response, pauses, plays the next utterance.
 */
export class BenchCall {
  readonly #options: BenchCallOptions;
  readonly #schedule: ArrivalSchedule;
  #openedMs = 0;
  #line: CallerLine | null = null;
  #phase: Phase = { kind: 'agentSpeaking', hasAudio: false };
  #startedMs = 0;
  #sentFrames = 0;
  #agentIsSpeaking = true;
  #hasAudio = false;
  #nextUtterance: number;

  private constructor(options: BenchCallOptions) {
    this.#options = options;
    this.#schedule = new ArrivalSchedule(options.medium.aheadMs, options.medium.jitterBufferMs);
    this.#nextUtterance = Math.floor(options.random() * options.script.utterances.length);
  }

  static async join(options: BenchCallOptions): Promise<BenchCall> {
    const { measurements } = options;
    const call = new BenchCall(options);
    let joiningMs = 0;
    const createCall: CreateCall = async (medium) => {
      const created = await options.createCall(medium);
      joiningMs = performance.now();
      return created;
    };
    call.#line = await options.medium.connect(createCall, {
      onOpen: () => {
        call.#openedMs = performance.now();
        measurements.openedMs.push(call.#openedMs - joiningMs);
      },
      onAudio: (durationMs) => call.#onAudio(durationMs),
      onAgentState: (isSpeaking) => {
        call.#agentIsSpeaking = isSpeaking;
      },
      onCleared: () => call.#schedule.restart(),
      onLost: (reason) => call.#lost(reason),
    });
    call.#startedMs = performance.now();
    measurements.joinedMs.push(call.#startedMs - call.#openedMs);
    return call;
  }

  get packets(): CallerLine['packets'] {
    return this.#line?.packets ?? { received: 0, lost: 0 };
  }

  /** Sends the frames that are due. Call it every few milliseconds. */
  pump(nowMs: number): void {
    if (this.#phase.kind === 'ended') return;
    this.#advance(nowMs);
    const due = Math.floor((nowMs - this.#startedMs) / FRAME_MS) + 1;
    while (this.#sentFrames < due) this.#sendFrame();
  }

  async hangUp(): Promise<void> {
    if (this.#phase.kind === 'ended') return;
    this.#phase = { kind: 'ended' };
    await this.#line?.hangUp();
  }

  #advance(nowMs: number): void {
    const phase = this.#phase;
    const { measurements, random } = this.#options;
    if (phase.kind === 'agentSpeaking') {
      const agentIsDone = !this.#agentIsSpeaking && nowMs > this.#schedule.playedUntilMs;
      if (phase.hasAudio && agentIsDone) {
        this.#schedule.restart();
        this.#phase = { kind: 'pausing', untilMs: nowMs + 300 + random() * 700 };
      }
    } else if (phase.kind === 'speaking' && phase.lastSpeechMs !== null) {
      if (nowMs - phase.lastSpeechMs < ANSWER_LIMIT_MS) return;
      if (measurements.isOpen && !phase.answered) measurements.unanswered += 1;
      this.#phase = { kind: 'pausing', untilMs: nowMs };
    }
  }

  #sendFrame(): void {
    const index = this.#sentFrames;
    this.#sentFrames += 1;
    if (
      this.#phase.kind === 'pausing' &&
      index % ALIGNED_FRAMES === 0 &&
      performance.now() >= this.#phase.untilMs
    ) {
      this.#phase = {
        kind: 'speaking',
        utterance: this.#takeUtterance(),
        frame: 0,
        lastSpeechMs: null,
        answered: false,
      };
    }
    const phase = this.#phase;
    const { silence } = this.#options.script;
    if (phase.kind !== 'speaking') {
      this.#line?.send(silence);
      return;
    }
    this.#line?.send(phase.utterance.frames[phase.frame] ?? silence);
    if (phase.frame === phase.utterance.lastSpeechFrame) phase.lastSpeechMs = performance.now();
    phase.frame += 1;
  }

  #takeUtterance(): Utterance {
    const { utterances } = this.#options.script;
    this.#nextUtterance = (this.#nextUtterance + 1) % utterances.length;
    const utterance = utterances[this.#nextUtterance];
    if (!utterance) throw new Error('the script has no utterances');
    return utterance;
  }

  #onAudio(durationMs: number): void {
    const nowMs = performance.now();
    const { measurements } = this.#options;
    if (!this.#hasAudio) measurements.firstAudioMs.push(nowMs - this.#openedMs);
    this.#hasAudio = true;
    const { latenessMs, isGap } = this.#schedule.arrived(durationMs, nowMs);
    if (measurements.isOpen) {
      measurements.frameLatenessMs.push(latenessMs);
      if (isGap) measurements.gaps += 1;
    }
    const phase = this.#phase;
    if (phase.kind === 'agentSpeaking') phase.hasAudio = true;
    if (phase.kind !== 'speaking') return;
    if (phase.lastSpeechMs === null) {
      if (measurements.isOpen && !phase.answered) measurements.early += 1;
      phase.answered = true;
      return;
    }
    if (measurements.isOpen && !phase.answered) measurements.answerMs.push(nowMs - phase.lastSpeechMs);
    this.#phase = { kind: 'agentSpeaking', hasAudio: true };
  }

  #lost(reason: string): void {
    if (this.#phase.kind === 'ended') return;
    this.#phase = { kind: 'ended' };
    this.#options.measurements.lost.push(reason);
  }
}
