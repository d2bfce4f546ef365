import type { LinkSample } from '../link-statistics.ts';

/** What became of a client that came. */
export type JoinOutcome =
  | 'joined'
  /** Within the limit. */
  | 'not_connected'
  | 'left'
  /** Newer connections of the same call came. */
  | 'replaced'
  | 'failed';

/** Why the media of a client is gone, although it may come back. */
export type MediaLoss =
  /** No more checks came, or the handshake's other side closed, and no restart of ICE brought it back. */
  | 'ice'
  /** mediasoup's worker died. */
  | 'worker'
  | 'codec'
  /** The client takes no data messages. */
  | 'unread'
  /** It sends more than is let through. */
  | 'flood';

/** Is told what happens, for metrics. */
export interface WebRtcMeter {
  setUp(outcome: JoinOutcome, durationMs: number): void;
  /** Of one connection, every few seconds. */
  sample(sample: LinkSample): void;
  lost(why: MediaLoss): void;
  iceRestarted(): void;
  workerDied(): void;
}
