import type { DataConnections } from '@calls/conversation/ports/data-connection';
import type { Clock } from '@calls/foundation/clock';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { CustomerDataConnection } from './customer-data-connection.ts';

/** Opens the data connections of a process's calls through the guarded HTTP client. */
export function createDataConnections(deps: {
  outbound: OutboundHttp;
  clock: Clock;
  random?: () => number;
}): DataConnections {
  const { random = Math.random } = deps;
  return { open: (call, listener) => new CustomerDataConnection({ ...deps, random }, call, listener) };
}
