/** Maximum number of samples passed to a model: 8 s at 16 kHz. */
export const MAX_TURN_SAMPLES = 128_000;

/** Judges by the sound of a turn whether it is complete. One model per process; turns of different calls share it. */
export interface TurnCompletionModel extends AsyncDisposable {
  /**
   * The probability (0 to 1) that the turn is complete. `samples`: the last 8 s of the turn at most, up to some 100 ms
   * into the pause that follows: mono signed 16-bit PCM at 16 kHz. Rejects with a ProviderError if the model fails or too
   * many turns wait for it. A turn that waits when `signal` aborts is not judged.
   */
  completion(samples: Int16Array, signal: AbortSignal): Promise<number>;
}
