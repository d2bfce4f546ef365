import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { text } from '@calls/foundation/variable';
import { listen } from './server.ts';

const values = readOwnConfig(process.env, (env) =>
  env.read({
    API_KEY: text({ meaning: 'the one accepted key' }),
    PUBLIC_KEY_PEM: text({ meaning: 'verifies the signatures of service accounts' }),
  }),
);
const config = { apiKey: values.API_KEY, publicKeyPem: values.PUBLIC_KEY_PEM };

await runProcess({
  log: silentLogger,
  stopLimitMs: 2000,
  start: async () => {
    const servers = await listen(config);
    process.send?.({ httpPort: servers.httpPort, grpcPort: servers.grpcPort });
    return servers;
  },
});
