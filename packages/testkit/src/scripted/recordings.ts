import {
  RECORDING_CHANNELS,
  RECORDING_SAMPLE_RATE_HZ,
  type CallRef,
  type RecordingSink,
  type RecordingStore,
  type StoredRecording,
} from '@calls/conversation/ports/recordings';
import { samplesFromBytes, concatSamples } from '@calls/audio/pcm';

const SAMPLES_PER_MS = RECORDING_SAMPLE_RATE_HZ / 1000;

/** One recording in memory, for tests to look into. */
export class ScriptedRecording implements RecordingSink {
  readonly blocks: Int16Array[] = [];
  closed = false;
  /** Left by one session, and not resumed by another. */
  left = false;
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

  suspend(): Promise<void> {
    this.left = true;
    return Promise.resolve();
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
export class ScriptedRecordings implements RecordingStore {
  readonly byCall = new Map<string, ScriptedRecording>();

  open({ callId }: CallRef): RecordingSink {
    return this.#create(callId);
  }

  resume({ callId }: CallRef, fromMs: number): RecordingSink {
    const recording = this.byCall.get(callId) ?? this.#create(callId);
    recording.left = false;
    const missing = Math.round((fromMs - recording.durationMs) * SAMPLES_PER_MS) * RECORDING_CHANNELS;
    recording.blocks.push(new Int16Array(Math.max(0, missing)));
    return recording;
  }

  async finish({ callId }: CallRef): Promise<StoredRecording | null> {
    return (await this.byCall.get(callId)?.close()) ?? null;
  }

  #create(callId: string): ScriptedRecording {
    const recording = new ScriptedRecording(callId);
    this.byCall.set(callId, recording);
    return recording;
  }
}
