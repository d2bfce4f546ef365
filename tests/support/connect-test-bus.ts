import type { Bus } from '@calls/bus/bus';
import { connectBus } from '@calls/bus/connect-bus';
import { silentLogger } from '@calls/foundation/logger';

/** Connects to NATS without the default time limit of publications, which they exceed on a busy machine. */
export function connectTestBus(url: string): Promise<Bus> {
  return connectBus({ url, name: 'test', publishLimitMs: 60_000, log: silentLogger });
}
