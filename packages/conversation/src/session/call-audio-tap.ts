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
  /** What is heard before this call time others have recorded; null: nothing was. */
  resumedAtMs: number | null;
  onFault: (fault: Error) => void;
}

/** Who else gets the sound of a call: its recording, and its data connection. */
export class CallAudioTap {
  readonly #recorder: CallRecorder | null;
  readonly #live: CallRecorder | null;

  constructor({ spec, transport, services, dataConnection, resumedAtMs, onFault }: CallAudioTapOptions) {
    const common = {
      agentSampleRateHz: transport.outputFormat.sampleRateHz,
      startMs: services.clock.nowMs(),
      clock: services.clock,
    };
    const { recordings } = services;
    const open = (): RecordingSink =>
      resumedAtMs === null ? recordings.open(spec, onFault) : recordings.resume(spec, resumedAtMs, onFault);
    this.#recorder = spec.recordingEnabled ? new CallRecorder({ ...common, sink: open() }) : null;
    const write = dataConnection?.writeAudio;
    const sink = write && { write, close: () => Promise.resolve(null), suspend: () => Promise.resolve() };
    this.#live = sink ? new CallRecorder({ ...common, sink, pace: LIVE }) : null;
  }

  /** Null where nobody wants it. */
  get userAudio(): ((samples: Int16Array) => void) | null {
    if (!this.#recorder && !this.#live) return null;
    return (samples) => {
      this.#recorder?.writeUserAudio(samples);
      this.#live?.writeUserAudio(samples);
    };
  }

  /** Null where nobody wants it. */
  get agentAudio(): AudioTap | null {
    if (!this.#recorder && !this.#live) return null;
    return (samples, startMs) => {
      this.#recorder?.writeAgentAudio(samples, startMs);
      this.#live?.writeAgentAudio(samples, startMs);
    };
  }

  /** Resolves when it is stored; null where nothing was. */
  async close(): Promise<StoredRecording | null> {
    const [recording] = await Promise.all([this.#recorder?.close() ?? null, this.#live?.close()]);
    return recording;
  }

  /** As those of CallRecorder. */
  async leave(hasIt: boolean): Promise<void> {
    await Promise.all([this.#recorder?.suspend(hasIt), this.#live?.suspend(hasIt)]);
  }
}
