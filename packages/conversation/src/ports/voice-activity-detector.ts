/** Samples of one detector window: 32 ms at 16 kHz. */
export const VAD_WINDOW_SAMPLES = 512;
export const VAD_WINDOW_MS = 32;

/** One call's detector. Holds the model state of that call only. */
export interface VoiceActivityDetector {
  /**
   * The probability (0 to 1) that the window of 512 samples at 16 kHz holds speech. Calls are answered in order. The
   * array is the caller's and may be reused as soon as `push` returns. Rejects after `close`.
   */
  push(window: Int16Array): Promise<number>;
  /** Forgets what was heard so far. */
  reset(): void;
  /** Frees the state. Idempotent. */
  close(): void;
}

/** One model for a whole process; windows of different calls are run in one batch. */
export interface VoiceActivityEngine extends AsyncDisposable {
  createDetector(): VoiceActivityDetector;
}
