import type { ServerMessage } from '@calls/api-contract';
import { WebSocket, type RawData } from 'ws';
import { ArrivalSchedule } from './arrival-schedule.ts';
import { ALIGNED_FRAMES, FRAME_MS, type Utterance } from './utterances.ts';

/** The default clientBufferSizeMs. */
const CLIENT_BUFFER_MS = 60;
const ANSWER_LIMIT_MS = 10_000;

/** Figures of all calls; taken only while `isOpen`. */
export interface Measurements {
  isOpen: boolean;
  /** From the arrival of the last frame of speech to the first audio of the answer. */
  answerMs: number[];
  frameLatenessMs: number[];
  /** The loudspeaker ran dry within an answer. */
  gaps: number;
  /** Turns that were answered before the utterance was over. */
  early: number;
  /** Turns without an answer. */
  unanswered: number;
  /** Calls that ended before they were to. */
  lost: string[];
}

type Phase =
  /** Until the agent has said what it has to say. */
  | { kind: 'hearing'; heardAny: boolean }
  | { kind: 'pausing'; untilMs: number }
  | { kind: 'speaking'; utterance: Utterance; frame: number; lastSpeechMs: number | null; answered: boolean }
  | { kind: 'ended' };

export interface BenchCallOptions {
  joinUrl: string;
  sampleRateHz: number;
  utterances: readonly Utterance[];
  measurements: Measurements;
  random: () => number;
}

/** A caller that talks with the agent without end: listens to it, waits a moment, says the next utterance. */
export class BenchCall {
  readonly #options: BenchCallOptions;
  readonly #socket: WebSocket;
  readonly #silence: Uint8Array;
  readonly #schedule = new ArrivalSchedule(CLIENT_BUFFER_MS);
  #phase: Phase = { kind: 'hearing', heardAny: false };
  #startedMs = 0;
  #sentFrames = 0;
  #agentState = 'idle';
  #nextUtterance: number;

  private constructor(options: BenchCallOptions, socket: WebSocket) {
    this.#options = options;
    this.#socket = socket;
    this.#silence = new Uint8Array(Math.round((FRAME_MS * options.sampleRateHz) / 1000) * 2);
    this.#nextUtterance = Math.floor(options.random() * options.utterances.length);
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#onAudio(byteLengthOf(data));
      else this.#onMessage(JSON.parse(textOf(data)) as ServerMessage);
    });
    socket.on('error', (error) => this.#lost(error.message));
    socket.on('close', (code, reason) => this.#lost(`closed with ${code} ${reason.toString()}`));
  }

  static async join(options: BenchCallOptions): Promise<BenchCall> {
    const socket = new WebSocket(options.joinUrl, { perMessageDeflate: false });
    const call = new BenchCall(options, socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    call.#startedMs = performance.now();
    return call;
  }

  /** Sends the frames that are due. To be called every few milliseconds. */
  pump(nowMs: number): void {
    if (this.#phase.kind === 'ended') return;
    this.#advance(nowMs);
    const due = Math.floor((nowMs - this.#startedMs) / FRAME_MS) + 1;
    while (this.#sentFrames < due) this.#sendFrame();
  }

  async hangUp(): Promise<void> {
    if (this.#phase.kind === 'ended') return;
    this.#phase = { kind: 'ended' };
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.close(1000);
    await closed;
  }

  #advance(nowMs: number): void {
    const phase = this.#phase;
    const { measurements, random } = this.#options;
    if (phase.kind === 'hearing') {
      const agentIsDone = this.#agentState === 'listening' && nowMs > this.#schedule.playedUntilMs;
      if (phase.heardAny && agentIsDone) {
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
    if (phase.kind !== 'speaking') {
      this.#socket.send(this.#silence);
      return;
    }
    this.#socket.send(phase.utterance.frames[phase.frame] ?? this.#silence);
    if (phase.frame === phase.utterance.lastSpeechFrame) phase.lastSpeechMs = performance.now();
    phase.frame += 1;
  }

  #takeUtterance(): Utterance {
    const { utterances } = this.#options;
    this.#nextUtterance = (this.#nextUtterance + 1) % utterances.length;
    const utterance = utterances[this.#nextUtterance];
    if (!utterance) throw new Error('there is nothing to say');
    return utterance;
  }

  #onAudio(bytes: number): void {
    const nowMs = performance.now();
    const { measurements, sampleRateHz } = this.#options;
    const { latenessMs, isGap } = this.#schedule.arrived((bytes * 500) / sampleRateHz, nowMs);
    if (measurements.isOpen) {
      measurements.frameLatenessMs.push(latenessMs);
      if (isGap) measurements.gaps += 1;
    }
    const phase = this.#phase;
    if (phase.kind === 'hearing') phase.heardAny = true;
    if (phase.kind !== 'speaking') return;
    if (phase.lastSpeechMs === null) {
      if (measurements.isOpen && !phase.answered) measurements.early += 1;
      phase.answered = true;
      return;
    }
    if (measurements.isOpen && !phase.answered) measurements.answerMs.push(nowMs - phase.lastSpeechMs);
    this.#phase = { kind: 'hearing', heardAny: true };
  }

  #onMessage(message: ServerMessage): void {
    if (message.type === 'state') this.#agentState = message.state;
    if (message.type === 'playback_clear_buffer') this.#schedule.restart();
  }

  #lost(why: string): void {
    if (this.#phase.kind === 'ended') return;
    this.#phase = { kind: 'ended' };
    this.#options.measurements.lost.push(why);
  }
}

function byteLengthOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, part) => sum + part.byteLength, 0) : data.byteLength;
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString();
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data).toString();
}
