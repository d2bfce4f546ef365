import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { text } from '@calls/foundation/variable';
import { listen } from './server.ts';

const { MCP_TOKEN: token } = readOwnConfig(process.env, (env) =>
  env.read({ MCP_TOKEN: text({ meaning: 'token that requests need' }) }),
);

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const server = await listen({ token });
    process.send?.({ url: `http://127.0.0.1:${server.port}` });
    return server;
  },
});
