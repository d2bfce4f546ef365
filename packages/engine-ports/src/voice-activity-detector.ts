/** Samples per window: 32 ms at 16 kHz. */
export const VAD_WINDOW_SAMPLES = 512;
export const VAD_WINDOW_MS = 32;

/** Voice activity detector of one call; holds that call's model state. */
export interface VoiceActivityDetector {
  /**
   * Returns the probability (0 to 1) that a window of 512 samples at 16 kHz contains speech. Results arrive in
   * order. The caller may reuse the array after the call returns. Rejects after `close`.
   */
  push(window: Int16Array): Promise<number>;
  /** Resets the model state. */
  reset(): void;
  /** Releases the model state. Idempotent. */
  close(): void;
}

/** One model per process; windows of different calls are run in one batch. */
export interface VoiceActivityEngine extends AsyncDisposable {
  createDetector(): VoiceActivityDetector;
}
