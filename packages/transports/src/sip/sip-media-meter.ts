import type { InputCounts } from '../link-statistics.ts';

/** RTP statistics of one call since the last sample. */
export interface SipMediaSample extends InputCounts {
  /** Interarrival jitter (RFC 3550). */
  jitterMs: number;
  /** How long the receiver waits for a missing packet. */
  waitMs: number;
  /** Packets from other sources than the call's media; dropped. */
  stray: number;
  /** Packets of an encrypted call that are forged, repeated, too old or not encrypted; dropped. */
  unauthenticated: number;
  sentPackets: number;
  /** Sent packets that the peer reported as lost. */
  sentLost: number;
  /** The peer's last report (RTCP); null if it sends none. */
  peer: { jitterMs: number; roundTripMs: number | null } | null;
}

/** Records SIP media metrics. */
export interface SipMediaMeter {
  /** Called every few seconds per call, and at its end. */
  sample(sample: SipMediaSample): void;
}
