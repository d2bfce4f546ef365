/**
 * Format of the audio written to a RecordingSink: signed 16-bit little-endian, interleaved, the user left, the
 * agent right.
 */
export const RECORDING_SAMPLE_RATE_HZ = 16_000;
export const RECORDING_CHANNELS = 2;

export interface StoredRecording {
  /** Key in object storage. */
  key: string;
  bytes: number;
  durationMs: number;
}

/** Identifies the call that stored objects belong to. */
export interface CallRef {
  accountId: string;
  callId: string;
}

/** The recording of one call, written during the call. */
export interface RecordingSink {
  /** Appends audio. Never blocks and never throws; takes ownership of the array. */
  write(pcm: Uint8Array): void;
  /** Stores the recording; null if there is nothing to store. Never rejects. Call it once. */
  close(): Promise<StoredRecording | null>;
  /**
   * Alternative to `close`: stores what was written so far, for a later `resume` or `finish`. Never rejects.
   */
  suspend(): Promise<void>;
}

/** Storage for call recordings. */
export interface RecordingStore {
  /** `onError` is called once if recording stops early; the call continues without it. */
  open(call: CallRef, onError: (error: Error) => void): RecordingSink;
  /**
   * Continues a suspended recording. The first audio written starts `fromMs` after the beginning of the
   * recording; the gap is filled with silence.
   */
  resume(call: CallRef, fromMs: number, onError: (error: Error) => void): RecordingSink;
  /** Completes a suspended recording; null if there is none or it cannot be stored. Never rejects. */
  finish(call: CallRef): Promise<StoredRecording | null>;
}
