import { EnvReader } from '@calls/foundation/env-reader';
import { runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { listen } from './server.ts';

const env = new EnvReader(process.env);
const config = { apiKey: env.string('API_KEY'), publicKeyPem: env.string('PUBLIC_KEY_PEM') };
env.finish();

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const servers = await listen(config);
    process.send?.({ httpPort: servers.httpPort, grpcPort: servers.grpcPort });
    return servers;
  },
});
