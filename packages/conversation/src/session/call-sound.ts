import type { CallSpec } from '@calls/api-contract/call-spec';
import type { DataConnection } from '../ports/data-connection.ts';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { RecordingSink, StoredRecording } from '../ports/recordings.ts';
import type { SoundTap } from '../playout/playout.ts';
import { CallRecorder, LIVE } from '../recording/call-recorder.ts';
import type { ConversationServices } from './services.ts';

export interface CallSoundOptions {
  spec: CallSpec;
  transport: MediaTransport;
  services: ConversationServices;
  dataConnection: DataConnection | null;
  /** What is heard before this call time others have recorded; null: nothing was. */
  resumedAtMs: number | null;
  onFault: (fault: Error) => void;
}

/** Who else gets the sound of a call: its recording, and its data connection. */
export class CallSound {
  readonly #recorder: CallRecorder | null;
  readonly #live: CallRecorder | null;

  constructor({ spec, transport, services, dataConnection, resumedAtMs, onFault }: CallSoundOptions) {
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
    const sink = write && { write, close: () => Promise.resolve(null), leave: () => Promise.resolve() };
    this.#live = sink ? new CallRecorder({ ...common, sink, pace: LIVE }) : null;
  }

  /** Null where nobody wants it. */
  get userSpoke(): ((samples: Int16Array) => void) | null {
    if (!this.#recorder && !this.#live) return null;
    return (samples) => {
      this.#recorder?.userSpoke(samples);
      this.#live?.userSpoke(samples);
    };
  }

  /** Null where nobody wants it. */
  get agentHeard(): SoundTap | null {
    if (!this.#recorder && !this.#live) return null;
    return (samples, startMs) => {
      this.#recorder?.agentHeard(samples, startMs);
      this.#live?.agentHeard(samples, startMs);
    };
  }

  /** Resolves when it is stored; null where nothing was. */
  async close(): Promise<StoredRecording | null> {
    const [recording] = await Promise.all([this.#recorder?.close() ?? null, this.#live?.close()]);
    return recording;
  }

  /** As those of CallRecorder. */
  async leave(hasIt: boolean): Promise<void> {
    await Promise.all([this.#recorder?.leave(hasIt), this.#live?.leave(hasIt)]);
  }
}
