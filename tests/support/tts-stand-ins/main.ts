import { EnvReader, runProcess, silentLogger } from '@calls/foundation';
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
