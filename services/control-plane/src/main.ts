import { EnvReader } from '@calls/foundation/env-reader';
import { runProcess } from '@calls/foundation/lifecycle';
import { createLogger } from '@calls/foundation/logger';
import { modelNames } from '@calls/providers/config/catalogue';
import { readControlPlaneConfig } from './config.ts';
import { createControlPlane } from './control-plane.ts';

const STOP_LIMIT_MS = 15_000;

const env = new EnvReader(process.env);
const config = readControlPlaneConfig(env, modelNames);
const log = createLogger({
  service: 'control-plane',
  level: env.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  logPii: env.boolean('LOG_PII', false),
});
env.finish();

await runProcess({ log, stopLimitMs: STOP_LIMIT_MS, start: () => createControlPlane(config, log) });
