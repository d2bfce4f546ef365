import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import type { SipMedia } from '@calls/transports/sip/sip-media';
import type { SipTransport, SipTransportOptions } from '@calls/transports/sip/transport';
import type { SipMeter } from './sip-metrics.ts';
import type { SipLeg } from './sip-leg.ts';
import type { SipLogs } from './sip-logs.ts';

/** The media of one call, as provided by transports. */
export interface CallMedia
  extends Pick<SipMedia, 'answer' | 'offer' | 'reoffer' | 'takeAnswer'>, AsyncDisposable {
  transport(options: SipTransportOptions): MediaTransport & Pick<SipTransport, 'ended'>;
}

/** Dependencies of calls in both directions. */
export interface SipDeps {
  /** Rejects if no port is free. */
  openMedia: () => Promise<CallMedia>;
  logs: Pick<SipLogs, 'claim' | 'take'>;
  /** Stores the SIP messages of an ended call. Does not reject. */
  storeLog: (leg: Pick<SipLeg, 'logKey'>, sipCallId: string) => Promise<void>;
  meter: Pick<SipMeter, 'ended' | 'refused'>;
  clock: Clock;
}
