import { EnvReader } from '@calls/foundation/env-reader';
import { runProcess } from '@calls/foundation/lifecycle';
import { createLogger } from '@calls/foundation/logger';
import { readDispatcherConfig } from './config.ts';
import { createDispatcher } from './dispatcher.ts';

/** Longer than a job may run. */
const STOP_LIMIT_MS = 70_000;

const env = new EnvReader(process.env);
const config = readDispatcherConfig(env);
const log = createLogger({
  service: 'dispatcher',
  level: env.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  logPii: env.boolean('LOG_PII', false),
});
env.finish();

await runProcess({ log, stopLimitMs: STOP_LIMIT_MS, start: () => createDispatcher(config, log) });
