import type { Server } from 'node:net';
import { listen } from '@calls/foundation/listen';

/** Listens on a free port of the loopback interface. Resolves with the port. */
export function listenOnLoopback(server: Server): Promise<number> {
  return listen(server, {
    port: 0,
    host: { address: '127.0.0.1', variable: 'the test' },
    variable: 'the test',
  });
}
