import type { CallSpec } from '@calls/api-contract/call-spec';
import type { DataConnection } from '../ports/data-connection.ts';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { RecordingSink, StoredRecording } from '../ports/recordings.ts';
import {
  CallRecorder,
  LIVE,
  type CallRecorderOptions,
  type RecordingPace,
} from '../recording/call-recorder.ts';
import { LatencyAudit, type ReportedTurn } from '../recording/latency-audit.ts';
import type { ConversationServices } from './services.ts';

/** The audio of the call for one supervisor. */
export interface SupervisorAudio {
  readonly recorder: CallRecorder;
  /** Idempotent. */
  close(): void;
}

export interface CallAudioTapOptions {
  spec: CallSpec;
  transport: MediaTransport;
  services: ConversationServices;
  dataConnection: DataConnection | null;
  /**
   * Call time at which this session's audio starts, if earlier sessions recorded the audio before; else null.
   */
  resumedAtMs: number | null;
  onError: (error: Error) => void;
}

/** Pace for supervisors, who hear the call less than 200 ms late. */
const SUPERVISED: RecordingPace = { blockMs: 20, horizonMs: 80 };

/** Passes the call's audio to its recording, its data connection and its supervisors. */
export class CallAudioTap {
  readonly #options: CallAudioTapOptions;
  readonly #recorder: CallRecorder | null;
  readonly #live: CallRecorder | null;
  /** All recorders, those of the supervisors included. */
  #recorders: readonly CallRecorder[] = [];

  constructor(options: CallAudioTapOptions) {
    this.#options = options;
    const { spec, services, dataConnection, resumedAtMs, onError } = options;
    const { recordings } = services;
    const open = (): RecordingSink =>
      resumedAtMs === null ? recordings.open(spec, onError) : recordings.resume(spec, resumedAtMs, onError);
    const audit = (): LatencyAudit =>
      new LatencyAudit((deviation) => services.metrics.turnAudited(deviation));
    this.#recorder = spec.recordingEnabled ? this.#record(open(), { audit: audit() }) : null;
    const write = dataConnection?.writeAudio;
    this.#live = write ? this.#record(liveSink(write), { pace: LIVE }) : null;
  }

  /** The user's audio at 16 kHz as it arrives. */
  readonly writeUserAudio = (samples: Int16Array): void => {
    for (const recorder of this.#recorders) recorder.writeUserAudio(samples);
  };

  /** The agent's audio as the user hears it. */
  writeAgentAudio(samples: Int16Array, startMs: number): void {
    for (const recorder of this.#recorders) recorder.writeAgentAudio(samples, startMs);
  }

  /**
   * Adds what the user hears besides the agent: music, or a person. `except`: the supervisor who speaks, and who must
   * not hear their own voice.
   */
  writeOtherAudio(samples: Int16Array, startMs: number, except: SupervisorAudio | null = null): void {
    for (const recorder of this.#recorders)
      if (recorder !== except?.recorder) recorder.writeOtherAudio(samples, startMs);
  }

  /** Compares the times of a turn, on the monotonic clock, with the recording, if there is one. */
  auditTurn(turn: ReportedTurn): void {
    this.#recorder?.auditTurn(turn);
  }

  /** Passes the audio from now on to a supervisor. `write`: see DataConnection.writeAudio. */
  addSupervisor(write: (pcm: Uint8Array) => void): SupervisorAudio {
    const recorder = this.#record(liveSink(write), { pace: SUPERVISED });
    const close = (): void => {
      if (!this.#recorders.includes(recorder)) return;
      this.#recorders = this.#recorders.filter((each) => each !== recorder);
      void recorder.close();
    };
    return { recorder, close };
  }

  #record(sink: RecordingSink, settings: Pick<CallRecorderOptions, 'pace' | 'audit'>): CallRecorder {
    const { transport, services } = this.#options;
    const recorder = new CallRecorder({
      agentSampleRateHz: transport.outputFormat.sampleRateHz,
      startMs: services.clock.nowMs(),
      clock: services.clock,
      sink,
      ...settings,
    });
    this.#recorders = [...this.#recorders, recorder];
    return recorder;
  }

  /** Stores the recording; null if there is none. */
  async close(): Promise<StoredRecording | null> {
    const [recording] = await Promise.all([this.#recorder?.close() ?? null, this.#live?.close()]);
    return recording;
  }

  /** See CallRecorder.suspend. */
  async leave(hasMoved: boolean): Promise<void> {
    await Promise.all([this.#recorder?.suspend(hasMoved), this.#live?.suspend(hasMoved)]);
  }
}

/** Audio that is not stored. */
function liveSink(write: (pcm: Uint8Array) => void): RecordingSink {
  return { write, close: () => Promise.resolve(null), suspend: () => Promise.resolve() };
}
