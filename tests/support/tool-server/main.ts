import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { text } from '@calls/foundation/variable';
import { listen } from './server.ts';

const { SHARED_SECRETS: secrets, API_URL: apiUrl } = readOwnConfig(process.env, (env) =>
  env.read({
    SHARED_SECRETS: text({ unset: 'none', meaning: 'secrets of request signatures, comma-separated' }),
    API_URL: text({ unset: 'none', meaning: 'the API that tools call back' }),
  }),
);

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const server = await listen({ secrets: secrets?.split(',') ?? [], apiUrl });
    process.send?.({ url: `http://127.0.0.1:${server.port}` });
    return server;
  },
});
