import type { InputCounts } from '../link-statistics.ts';

/** What came of one call's RTP since the last sample. */
export interface SipMediaSample extends InputCounts {
  /** Interarrival jitter (RFC 3550). */
  jitterMs: number;
  /** How long a missing packet is waited for. */
  waitMs: number;
  /** From elsewhere than where the call's media comes from; dropped. */
  stray: number;
}

/** Is told what happens, for metrics. */
export interface SipMediaMeter {
  /** Of one call, every few seconds and at its end. */
  sample(sample: SipMediaSample): void;
}
