import { runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { createAccounts } from './accounts.ts';
import type { ExchangeReady } from './control.ts';
import { listen } from './server.ts';

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const keys = createAccounts();
    const server = await listen(keys);
    const ready: ExchangeReady = { port: server.port, accounts: keys.accounts };
    process.send?.(ready);
    return server;
  },
});
