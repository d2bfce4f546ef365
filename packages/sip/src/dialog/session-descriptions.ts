import type { ReinviteHandler } from '../calls.ts';

/** The latest session descriptions of both sides of a dialog. */
export class SessionDescriptions {
  /** Answers the peer's later offers. Without one, the last local description is sent again. */
  handler: ReinviteHandler | null = null;
  /** The peer's latest offer or answer; null if it is still to come. */
  remote: string | null;
  local: string;

  constructor(local: string, remote: string | null) {
    this.local = local;
    this.remote = remote;
  }

  /** The local answer to the peer's offer, or a local offer if `offer` is null. Null rejects it and changes nothing. */
  answerTo(offer: string | null): string | null {
    const sdp = this.handler ? this.handler.reoffer(offer) : this.local;
    if (sdp === null) return null;
    this.local = sdp;
    if (offer !== null) this.remote = offer;
    return sdp;
  }

  /** Records the peer's answer to the last local description. It may be unchanged. */
  takeAnswer(sdp: string): void {
    if (sdp === this.remote) return;
    this.remote = sdp;
    this.handler?.takeAnswer(sdp);
  }
}
