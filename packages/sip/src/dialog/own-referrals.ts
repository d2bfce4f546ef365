import type { Clock } from '@calls/foundation/clock';
import { headerOf } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { Referral } from './referral.ts';

interface OwnReferralsOptions {
  clock: Clock;
  /** Sends REFER with this Refer-To. Null if the peer does not respond. */
  send(referTo: string): Promise<SipResponse | null>;
}

/** The REFER requests that this side sends within a dialog, one at a time. */
export class OwnReferrals {
  readonly #options: OwnReferralsOptions;
  #latest: Referral | null = null;

  constructor(options: OwnReferralsOptions) {
    this.#options = options;
  }

  /** Sends REFER. Resolves to whether the target has answered. A pending earlier REFER counts as failed. */
  async refer(target: string): Promise<boolean> {
    const referral = new Referral(this.#options.clock);
    this.#latest?.settle(false);
    this.#latest = referral;
    const response = await this.#options.send(`<${target}>`);
    if (!response || response.status >= 300) referral.settle(false);
    else referral.accepted();
    return referral.succeeded;
  }

  /** Handles a NOTIFY of the peer. False if there was no REFER. */
  reported(notify: SipRequest): boolean {
    const isLast = /^terminated\b/iu.test(headerOf(notify, 'Subscription-State') ?? '');
    this.#latest?.reported(notify.body, isLast);
    return this.#latest !== null;
  }

  /** Sets the result unless it is known already. */
  settle(succeeded: boolean): void {
    this.#latest?.settle(succeeded);
  }
}
