import type { InputCounts } from '../link-statistics.ts';

/** RTP statistics of one call since the last sample. */
export interface SipMediaSample extends InputCounts {
  /** Interarrival jitter (RFC 3550). */
  jitterMs: number;
  /** How long a missing packet is waited for. */
  waitMs: number;
  /** From elsewhere than where the call's media comes from; dropped. */
  stray: number;
}

/** Records SIP media metrics. */
export interface SipMediaMeter {
  /** Of one call, every few seconds and at its end. */
  sample(sample: SipMediaSample): void;
}
