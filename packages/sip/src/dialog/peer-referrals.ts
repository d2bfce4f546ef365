import type { PeerReferral } from '../calls.ts';
import { headerOf, listOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';
import { readNameAddress } from '../message/name-address.ts';
import { readSipUri, readTelNumber, writeSipUri } from '../message/uri.ts';

/** Maximum number of accepted REFER requests of a dialog. */
const MAX_REFERRALS = 5;
/** Lifetime of the subscription, in seconds. */
const EXPIRES_S = 60;

interface PeerReferralsOptions {
  contact(): SipHeaders;
  /** Sends NOTIFY. Does not reject. */
  notify(headers: SipHeaders, body: string): Promise<unknown>;
}

type Respond = (status: number, reason: string, headers?: SipHeaders) => void;

/** The REFER requests of the peer, one at a time (RFC 3515). */
export class PeerReferrals {
  handler: ((referral: PeerReferral) => void) | null = null;
  readonly #options: PeerReferralsOptions;
  #count = 0;
  #isActive = false;
  /** NOTIFY requests are sent in order. */
  #notified: Promise<unknown> = Promise.resolve();

  constructor(options: PeerReferralsOptions) {
    this.#options = options;
  }

  take(refer: SipRequest, respond: Respond): void {
    const values = listOf(refer, 'Refer-To');
    const target = values.length === 1 ? readTarget(values[0] ?? '') : null;
    if (!target) {
      respond(400, 'Bad Refer-To');
      return;
    }
    if (!this.handler || this.#isActive || this.#count >= MAX_REFERRALS) {
      respond(603, 'Decline');
      return;
    }
    this.#isActive = true;
    this.#count += 1;
    // Only later referrals need their id (RFC 3515, 2.4.6).
    const cseq = Number.parseInt(headerOf(refer, 'CSeq') ?? '', 10);
    const event = this.#count === 1 ? 'refer' : `refer;id=${cseq}`;
    respond(202, 'Accepted', this.#options.contact());
    void this.#report(event, 100, 'Trying');
    const report = (status: number, reason: string): Promise<void> => this.#report(event, status, reason);
    this.handler({ ...target, referredBy: headerOf(refer, 'Referred-By'), report });
  }

  async #report(event: string, status: number, reason: string): Promise<void> {
    const isFinal = status >= 200;
    if (isFinal) this.#isActive = false;
    const headers: SipHeaders = [
      ...this.#options.contact(),
      ['Event', event],
      ['Subscription-State', isFinal ? 'terminated;reason=noresource' : `active;expires=${EXPIRES_S}`],
      ['Content-Type', 'message/sipfrag'],
    ];
    const body = `SIP/2.0 ${status} ${reason}\r\n`;
    this.#notified = this.#notified.then(() => this.#options.notify(headers, body));
    await this.#notified;
  }
}

/** The URI of a Refer-To without headers, and its Replaces header. Null if malformed, or if it is not for an INVITE. */
function readTarget(value: string): Pick<PeerReferral, 'target' | 'replaces'> | null {
  const [text = '', headers = ''] = (readNameAddress(value)?.uri ?? '').split('?', 2);
  if (readTelNumber(text) !== null) return { target: text, replaces: null };
  const uri = readSipUri(text);
  const method = uri?.parameters.get('method') ?? 'INVITE';
  if (!uri || method.toUpperCase() !== 'INVITE') return null;
  const parameters = new Map([...uri.parameters].filter(([name]) => name !== 'method'));
  const replaces = new URLSearchParams(headers.replaceAll('+', '%2B')).get('Replaces');
  return { target: writeSipUri({ ...uri, parameters }), replaces };
}
