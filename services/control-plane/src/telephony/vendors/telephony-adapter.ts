import type { DialDialect } from './dial-dialect.ts';
import type { Signature } from './signature.ts';

/** What the control-plane does in a telephony vendor's way. */
export interface TelephonyAdapter {
  readonly dialling: DialDialect;
  readonly signature: Signature;
  readonly xml: XmlVerbs;
  readonly status: StatusTable;
}

/** The parts of the vendor's XML that differ between vendors. */
export interface XmlVerbs {
  /** Streams the call's audio to and from the URL; the next verb follows when the stream has ended. */
  stream(url: string): string;
  /** Connects the call with a SIP URI. */
  sip(uri: string): string;
}

/** How the vendor reports that a phone call is over. */
export interface StatusTable {
  /** Values of `CallStatus` for a call that is over, and why the conversation did not begin. */
  readonly over: Readonly<Record<string, NotReached>>;
  /** The field with more about the cause. */
  readonly cause: string;
}

export type NotReached = 'left' | 'busy' | 'no_answer' | 'failed' | 'canceled';

/** Of Twilio's REST API, and of those modelled on it. */
export const TWILIO_STATUS: StatusTable = {
  over: { completed: 'left', busy: 'busy', 'no-answer': 'no_answer', failed: 'failed', canceled: 'canceled' },
  cause: 'ErrorMessage',
};
