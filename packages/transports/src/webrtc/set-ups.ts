/** A reconnecting client may have left a dead setup behind that is not detected yet. */
const MAX_PER_CALL = 3;

/** Connections that are being set up: of a call only so many at a time, so that a token is worth no more. */
export class SetUps {
  readonly #byCall = new Map<string, Set<() => void>>();

  /** Until it is disposed of. Where there are too many, the oldest is given up: its `giveUp` is called, once. */
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
