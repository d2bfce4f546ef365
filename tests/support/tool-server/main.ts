import { EnvReader } from '@calls/foundation/env-reader';
import { runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { listen } from './server.ts';

const env = new EnvReader(process.env);
const secrets = env.optional('SHARED_SECRETS');
const apiUrl = env.optional('API_URL') ?? null;
env.finish();

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const server = await listen({ secrets: secrets?.split(',') ?? [], apiUrl });
    process.send?.({ url: `http://127.0.0.1:${server.port}` });
    return server;
  },
});
