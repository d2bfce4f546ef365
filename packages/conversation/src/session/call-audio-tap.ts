import type { CallSpec } from '@calls/api-contract/call-spec';
import type { DataConnection } from '../ports/data-connection.ts';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { RecordingSink, StoredRecording } from '../ports/recordings.ts';
import type { AudioTap } from '../playout/playout.ts';
import { CallRecorder, LIVE } from '../recording/call-recorder.ts';
import type { ConversationServices } from './services.ts';

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

/** Passes the call's audio to its recording and to its data connection. */
export class CallAudioTap {
  readonly #recorder: CallRecorder | null;
  readonly #live: CallRecorder | null;

  constructor({ spec, transport, services, dataConnection, resumedAtMs, onError }: CallAudioTapOptions) {
    const common = {
      agentSampleRateHz: transport.outputFormat.sampleRateHz,
      startMs: services.clock.nowMs(),
      clock: services.clock,
    };
    const { recordings } = services;
    const open = (): RecordingSink =>
      resumedAtMs === null ? recordings.open(spec, onError) : recordings.resume(spec, resumedAtMs, onError);
    this.#recorder = spec.recordingEnabled ? new CallRecorder({ ...common, sink: open() }) : null;
    const write = dataConnection?.writeAudio;
    const sink = write && { write, close: () => Promise.resolve(null), suspend: () => Promise.resolve() };
    this.#live = sink ? new CallRecorder({ ...common, sink, pace: LIVE }) : null;
  }

  /** Null if the audio is not used. */
  get userAudio(): ((samples: Int16Array) => void) | null {
    if (!this.#recorder && !this.#live) return null;
    return (samples) => {
      this.#recorder?.writeUserAudio(samples);
      this.#live?.writeUserAudio(samples);
    };
  }

  /** Null if the audio is not used. */
  get agentAudio(): AudioTap | null {
    if (!this.#recorder && !this.#live) return null;
    return (samples, startMs) => {
      this.#recorder?.writeAgentAudio(samples, startMs);
      this.#live?.writeAgentAudio(samples, startMs);
    };
  }

  /** Stores the recording; null if there is none. */
  async close(): Promise<StoredRecording | null> {
    const [recording] = await Promise.all([this.#recorder?.close() ?? null, this.#live?.close()]);
    return recording;
  }

  /** See CallRecorder.suspend. */
  async leave(takenOver: boolean): Promise<void> {
    await Promise.all([this.#recorder?.suspend(takenOver), this.#live?.suspend(takenOver)]);
  }
}
