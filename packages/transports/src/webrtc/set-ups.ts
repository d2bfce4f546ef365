/** A reconnecting client may have left a dead setup behind that is not detected yet. */
const MAX_PER_CALL = 3;

/** Connections that are being set up. Their number per call is limited, so that a token cannot be abused. */
export class SetUps {
  readonly #byCall = new Map<string, Set<() => void>>();

  /** Counts until disposed. Beyond the limit, the oldest is given up: its `giveUp` is called once. */
  begin(callId: string, giveUp: () => void): Disposable {
    const ofCall = this.#byCall.get(callId) ?? new Set();
    this.#byCall.set(callId, ofCall);
    ofCall.add(giveUp);
    const [oldest] = ofCall;
    if (oldest && ofCall.size > MAX_PER_CALL) {
      ofCall.delete(oldest);
      oldest();
    }
    return {
      [Symbol.dispose]: () => {
        ofCall.delete(giveUp);
        if (ofCall.size === 0 && this.#byCall.get(callId) === ofCall) this.#byCall.delete(callId);
      },
    };
  }
}
