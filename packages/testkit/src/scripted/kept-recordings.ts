import {
  RECORDING_CHANNELS,
  RECORDING_SAMPLE_RATE_HZ,
  type RecordingSink,
  type RecordingStore,
  type StoredRecording,
} from '@calls/conversation';
import { samplesFromBytes, concatSamples } from '@calls/audio';

/** One recording in memory, for tests to look into. */
export class KeptRecording implements RecordingSink {
  readonly blocks: Int16Array[] = [];
  closed = false;
  readonly #key: string;

  constructor(key = 'recording.wav') {
    this.#key = key;
  }

  write(pcm: Uint8Array): void {
    if (this.closed) throw new Error('written to after its end');
    this.blocks.push(samplesFromBytes(pcm));
  }

  close(): Promise<StoredRecording | null> {
    this.closed = true;
    const { durationMs } = this;
    const bytes = durationMs * (RECORDING_SAMPLE_RATE_HZ / 1000) * RECORDING_CHANNELS * 2;
    return Promise.resolve({ key: this.#key, bytes, durationMs });
  }

  get durationMs(): number {
    const samples = this.blocks.reduce((sum, { length }) => sum + length, 0);
    return samples / RECORDING_CHANNELS / (RECORDING_SAMPLE_RATE_HZ / 1000);
  }

  get user(): Int16Array {
    return this.#track(0);
  }

  get agent(): Int16Array {
    return this.#track(1);
  }

  #track(channel: number): Int16Array {
    return concatSamples(this.blocks).filter((_sample, i) => i % RECORDING_CHANNELS === channel);
  }
}

/** Keeps recordings in memory, by call. */
export class KeptRecordings implements RecordingStore {
  readonly byCall = new Map<string, KeptRecording>();

  open({ callId }: { callId: string }): RecordingSink {
    const recording = new KeptRecording(callId);
    this.byCall.set(callId, recording);
    return recording;
  }
}
