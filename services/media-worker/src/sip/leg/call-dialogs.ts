import type { Logger } from '@calls/foundation/logger';
import { toError } from '@calls/foundation/errors';
import type {
  Dialog,
  DialogEnd,
  IncomingInvite,
  OutgoingCall,
  OutgoingInvite,
  PeerReferral,
} from '@calls/sip/calls';
import { isRefusal } from '@calls/transports/sip/remote-media';
import type { CallMedia } from './sip-leg.ts';

type DialogMedia = Pick<CallMedia, 'answer' | 'offer' | 'reoffer' | 'takeAnswer'>;

export interface CallDialogsOptions {
  media: DialogMedia;
  onKey: (key: string) => void;
  /** The state of the current dialog has changed, or another one is current. */
  onChanged: () => void;
  /** Calls the target of a REFER with a local offer. Throws if this worker can place no more calls. */
  call: (referral: PeerReferral, sdp: OutgoingInvite['sdp']) => OutgoingCall;
  log: Pick<Logger, 'info' | 'error'>;
}

/** Rejects all offers, because another dialog has replaced this one. */
const REPLACED = { reoffer: () => null, takeAnswer: () => undefined };
const NOT_ACCEPTABLE = { status: 488, reason: 'Not Acceptable Here' };

/**
 * The dialogs of one call, one after the other. The peer can move the call to another party by REFER, and another party
 * can take it over by an INVITE with Replaces. The media moves to the new dialog.
 */
export class CallDialogs {
  /** The end of the last dialog. Never rejects. */
  readonly ended: Promise<DialogEnd>;
  readonly #options: CallDialogsOptions;
  readonly #resolve: (end: DialogEnd) => void;
  #current: Dialog;
  /** The call to the target of a REFER, until its outcome. */
  #outgoing: OutgoingCall | null = null;
  #moving: Promise<void> = Promise.resolve();
  #isHangingUp = false;

  constructor(first: Dialog, options: CallDialogsOptions) {
    const { promise, resolve } = Promise.withResolvers<DialogEnd>();
    this.ended = promise;
    this.#resolve = resolve;
    this.#options = options;
    this.#current = first;
    this.#follow(first);
  }

  get current(): Dialog {
    return this.#current;
  }

  /** Sends BYE. Resolves when the dialog has ended, without waiting for the response. */
  async hangUp(): Promise<void> {
    this.#isHangingUp = true;
    this.#outgoing?.cancel();
    void this.#current.bye();
    await this.ended;
  }

  /** Leaves the dialog to another worker. */
  async release(): Promise<void> {
    this.#isHangingUp = true;
    this.#outgoing?.cancel();
    this.#current.release();
    await this.ended;
  }

  #follow(dialog: Dialog): void {
    const { media, onKey, onChanged } = this.#options;
    this.#current = dialog;
    dialog.onChanged(() => {
      if (dialog === this.#current) onChanged();
    });
    onChanged();
    dialog.onReinvite(media);
    dialog.handle({
      onKey: (key) => onKey(key),
      onRefer: (referral) => {
        this.#moving = this.#refer(referral);
      },
      onReplaced: (invite) => {
        this.#moving = this.#replace(invite);
      },
    });
    void dialog.ended.then(async (end) => {
      // A peer may hang up before the target of its REFER has answered.
      await this.#moving;
      if (dialog === this.#current) this.#resolve(end);
    });
  }

  async #refer(referral: PeerReferral): Promise<void> {
    const { log, media } = this.#options;
    const previous = this.#current;
    try {
      this.#outgoing = this.#options.call(referral, ({ address }) => media.offer(address));
      const answer = await this.#outgoing.answered;
      if (answer.kind === 'failed') {
        log.info({ cause: answer.cause, status: answer.status }, 'SIP REFER failed: target did not answer');
        void referral.report(
          answer.status ?? 503,
          answer.status === null ? 'Service Unavailable' : answer.reason,
        );
        return;
      }
      const isUnusable = this.#isHangingUp || media.takeAnswer(answer.sdp) !== null;
      if (isUnusable) {
        void referral.report(NOT_ACCEPTABLE.status, NOT_ACCEPTABLE.reason);
        void answer.dialog.bye();
        return;
      }
      this.#moveTo(answer.dialog);
      log.info('SIP REFER completed; call moved to the target');
      void referral.report(200, 'OK').then(() => previous.bye());
    } catch (thrown) {
      log.error({ err: toError(thrown) }, 'failed to call the target of a SIP REFER');
      void referral.report(503, 'Service Unavailable');
    } finally {
      this.#outgoing = null;
    }
  }

  async #replace(invite: IncomingInvite): Promise<void> {
    const { log, media } = this.#options;
    const previous = this.#current;
    if (this.#isHangingUp || this.#outgoing) {
      invite.reject(NOT_ACCEPTABLE.status, NOT_ACCEPTABLE.reason);
      return;
    }
    const sdp = invite.sdp === null ? media.offer(invite.source.address) : media.answer(invite.sdp);
    if (isRefusal(sdp)) {
      invite.reject(sdp.status, sdp.reason);
      return;
    }
    try {
      const dialog = await invite.accept(sdp);
      if (invite.sdp === null && (dialog.remoteSdp === null || media.takeAnswer(dialog.remoteSdp))) {
        void dialog.bye();
        return;
      }
      this.#moveTo(dialog);
      log.info('SIP INVITE with Replaces completed; call moved to the new party');
      void previous.bye();
    } catch (thrown) {
      log.info({ err: toError(thrown) }, 'SIP INVITE with Replaces failed');
    }
  }

  #moveTo(dialog: Dialog): void {
    this.#current.onReinvite(REPLACED);
    this.#follow(dialog);
  }
}
