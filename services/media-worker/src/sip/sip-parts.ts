import type { Clock } from '@calls/foundation';
import type { SipMedia } from '@calls/transports';
import type { SipMeter } from '../metrics/sip-metrics.ts';
import type { SipLeg } from './sip-leg.ts';
import type { SipLogs } from './sip-logs.ts';

/** What calls of either direction need. */
export interface SipParts {
  /** Rejects where there is no port. */
  openMedia: () => Promise<SipMedia>;
  logs: Pick<SipLogs, 'claim' | 'take'>;
  /** Keeps the messages of a call that is over. Doesn't reject. */
  storeLog: (leg: Pick<SipLeg, 'logKey'>, sipCallId: string) => Promise<void>;
  meter: Pick<SipMeter, 'ended' | 'refused'>;
  clock: Clock;
}
