import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { text } from '@calls/foundation/variable';
import type { OAuthOptions } from './authorization-server.ts';
import { listen } from './server.ts';

const { MCP_TOKEN: token, MCP_OAUTH: oauth } = readOwnConfig(process.env, (env) =>
  env.read({
    MCP_TOKEN: text({ meaning: 'token that requests need' }),
    MCP_OAUTH: text({ default: '', meaning: 'options of the authorization server, as JSON; empty: none' }),
  }),
);

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const server = await listen({
      token,
      ...(oauth !== '' && { oauth: JSON.parse(oauth) as OAuthOptions }),
    });
    process.send?.({ url: `http://127.0.0.1:${server.port}` });
    return server;
  },
});
