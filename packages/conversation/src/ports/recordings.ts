/** Of what is written to a RecordingSink: signed 16-bit little-endian, interleaved, the user left, the agent right. */
export const RECORDING_SAMPLE_RATE_HZ = 16_000;
export const RECORDING_CHANNELS = 2;

export interface StoredRecording {
  /** Under which the object storage has it. */
  key: string;
  bytes: number;
  durationMs: number;
}

/** Whose objects they are. */
export interface CallRef {
  accountId: string;
  callId: string;
}

/** The recording of one call, written while the call goes on. */
export interface RecordingSink {
  /** What follows what was written before. Never waits and never throws; the array is the sink's from now on. */
  write(pcm: Uint8Array): void;
  /** Resolves when all is stored, or what could be stored; null where nothing was. Never rejects. Once only. */
  close(): Promise<StoredRecording | null>;
  /** In place of `close`: resolves when all is stored, or what could be, and leaves it to `resume` or `finish`. Never rejects. */
  suspend(): Promise<void>;
}

/** Where recordings are kept. */
export interface RecordingStore {
  /** `onFault` is called once where the recording stops early; the call goes on without it. */
  open(call: CallRef, onFault: (fault: Error) => void): RecordingSink;
  /**
   * As `open`, behind what was left of the call's recording: what is written first belongs `fromMs` after its beginning. There
   * is silence in place of what is missing.
   */
  resume(call: CallRef, fromMs: number, onFault: (fault: Error) => void): RecordingSink;
  /** Makes what was left the whole recording; null where nothing was, or where it can't be stored. Never rejects. */
  finish(call: CallRef): Promise<StoredRecording | null>;
}
