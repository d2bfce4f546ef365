import type { SipCallState } from '@calls/api-contract/bus/stored-dialog';
import type { SipSpec } from '@calls/api-contract/call-spec';
import type { ResumedDialog } from '@calls/sip/calls';
import type { SdpRefusal } from '@calls/transports/sip/remote-media';
import type { CallMedia, SipDeps } from '../leg/sip-leg.ts';

/** How long the peer may take to answer the offer of the new worker. */
const ANSWER_LIMIT_MS = 10_000;

type MoveDeps = Pick<SipDeps, 'logs' | 'openMedia' | 'resume'>;

/** `ended`: the peer refused, did not answer in time or has hung up, and the dialog has ended. */
export type MoveOutcome = { kind: 'moved' } | { kind: 'ended' } | { kind: 'unusable'; refusal: SdpRefusal };

/**
 * Dialog and media of a call that this worker continues in place of another one. Asks the peer to send its media here.
 */
export class MovedLeg implements AsyncDisposable {
  readonly dialog: ResumedDialog;
  readonly media: CallMedia;
  /** Whether the peer sends its audio here. Never rejects. */
  readonly outcome: Promise<MoveOutcome>;
  readonly #logs: MoveDeps['logs'];

  private constructor(dialog: ResumedDialog, media: CallMedia, logs: MoveDeps['logs'], peerAddress: string) {
    this.dialog = dialog;
    this.media = media;
    this.#logs = logs;
    this.outcome = this.#move(peerAddress);
  }

  /** Sends silence from a port of this worker, and offers that port to the peer. Rejects if no port is free. */
  static async begin(
    deps: MoveDeps,
    medium: SipSpec,
    { dialog: earlier, media: snapshot }: Pick<SipCallState, 'dialog' | 'media'>,
  ): Promise<MovedLeg> {
    const media = await deps.openMedia(medium.mediaEncryption, snapshot);
    if (medium.codecs) media.useCodecs(medium.codecs);
    media.sendSilence();
    const dialog = deps.resume(earlier, credentialsOf(medium));
    deps.logs.claim(dialog.callId);
    dialog.onReinvite(media);
    return new MovedLeg(dialog, media, deps.logs, earlier.peer.address);
  }

  /** Leaves the dialog to another worker. */
  release(): Promise<void> {
    this.dialog.release();
    return this.#close();
  }

  /** Ends the dialog. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.dialog.bye();
    await this.#close();
  }

  async #close(): Promise<void> {
    this.#logs.take(this.dialog.callId);
    await this.media[Symbol.asyncDispose]();
  }

  async #move(peerAddress: string): Promise<MoveOutcome> {
    const sdp = await this.dialog.move(this.media.offer(peerAddress), ANSWER_LIMIT_MS);
    if (sdp === null) return { kind: 'ended' };
    const refusal = this.media.takeAnswer(sdp);
    if (refusal) return { kind: 'unusable', refusal };
    this.media.sendSilence();
    return { kind: 'moved' };
  }
}

/** Ends the dialog of a call that no worker can continue. */
export async function hangUpPeer(
  { resume }: Pick<SipDeps, 'resume'>,
  medium: SipSpec,
  dialog: SipCallState['dialog'],
): Promise<void> {
  await resume(dialog, credentialsOf(medium)).bye();
}

function credentialsOf({ username, password }: SipSpec) {
  return username === null || password === null ? null : { username, password };
}
