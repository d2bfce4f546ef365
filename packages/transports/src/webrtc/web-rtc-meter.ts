import type { LinkSample } from '../link-statistics.ts';

/** Outcome of a client connection. */
export type JoinOutcome =
  | 'joined'
  /** The client's media did not connect within the time limit. */
  | 'not_connected'
  | 'left'
  /** Newer connections of the same call replaced this one. */
  | 'replaced'
  | 'failed';

/** Why the media connection of a client was lost. It may be re-established. */
export type MediaLoss =
  /** ICE checks stopped or the client closed DTLS, and no ICE restart restored the connection. */
  | 'ice'
  /** mediasoup's worker died. */
  | 'worker'
  | 'codec'
  /** The RTP thread died. */
  | 'rtp'
  /** The client does not read data messages. */
  | 'unread'
  /** The client sends more packets than allowed. */
  | 'flood';

/** Records WebRTC metrics. */
export interface WebRtcMeter {
  setUp(outcome: JoinOutcome, durationMs: number): void;
  /** Called every few seconds per connection. */
  sample(sample: LinkSample): void;
  lost(reason: MediaLoss): void;
  iceRestarted(): void;
  workerDied(): void;
}
