import type { CloseReason, MediaTransport } from '@calls/conversation';
import type { Clock } from '@calls/foundation';
import type { RtpPorts } from './rtp-ports.ts';
import type { SipMediaMeter } from './sip-media-meter.ts';

/** The SDP can't be agreed to: what to answer instead. */
export interface SdpRefusal {
  kind: 'refused';
  status: number;
  reason: string;
}

export interface SipMediaOptions {
  ports: RtpPorts;
  /** What the peer is told to send to: an IPv4 address. */
  address: string;
  meter: SipMediaMeter;
  clock: Clock;
}

export interface SipTransportOptions {
  /** Ends the dialog. Called once, by the first `close` or where the media is gone; not where `ended` came before. */
  hangUp: (reason: CloseReason) => Promise<void>;
}

export interface SipTransport extends MediaTransport {
  /** The dialog is over. Idempotent. */
  ended(by: 'local' | 'remote' | 'lost'): void;
}

/** The media of one SIP call: its RTP port, from before the INVITE or its answer, and what was agreed on. */
export class SipMedia implements AsyncDisposable {
  /** Throws a NoRtpPortError where all are taken. */
  static open(_options: SipMediaOptions): Promise<SipMedia> {
    return Promise.reject(new Error('not yet'));
  }

  /** What we'd like: for an INVITE, or for the 200 to one that came without. The first time as later, in a dialog. */
  offer(): string {
    throw new Error('not yet');
  }

  /** Takes the answer to `offer`. */
  takeAnswer(_remoteSdp: string): SdpRefusal | null {
    throw new Error('not yet');
  }

  /** Takes an offer, the first or a later one (re-INVITE: hold, another address), and says what to answer. What it refuses changes nothing. */
  answer(_remoteSdp: string): string | SdpRefusal {
    throw new Error('not yet');
  }

  /** Audio flows from now on. Once; its end gives everything back. */
  transport(_options: SipTransportOptions): SipTransport {
    throw new Error('not yet');
  }

  /** Gives the port back; what a transport's end does too. Idempotent. */
  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
