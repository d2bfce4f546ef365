import type { NotReachedReason } from '@calls/api-contract/bus/call-commands';
import type { DialDialect } from './dial-dialect.ts';
import type { Signature } from './signature.ts';

/** The vendor-specific part of telephony in the control-plane. */
export interface TelephonyAdapter {
  readonly dialling: DialDialect;
  readonly signature: Signature;
  readonly xml: XmlVerbs;
  readonly status: StatusTable;
}

/** Verbs of the vendor's XML that differ between vendors. */
export interface XmlVerbs {
  /** Streams the call's audio to and from the URL; the next verb follows when the stream has ended. */
  stream(url: string): string;
  /** Connects the call with a SIP URI. */
  sip(uri: string): string;
}

/** How the vendor reports that a phone call is over. */
export interface StatusTable {
  /** Values of `CallStatus` for an ended call, with the reason why the conversation did not start. */
  readonly over: Readonly<Record<string, NotReachedReason>>;
  /** The field with details of the cause. */
  readonly cause: string;
}

/** Used by Twilio and by vendors with a similar REST API. */
export const TWILIO_STATUS: StatusTable = {
  over: { completed: 'left', busy: 'busy', 'no-answer': 'no_answer', failed: 'failed', canceled: 'canceled' },
  cause: 'ErrorMessage',
};
