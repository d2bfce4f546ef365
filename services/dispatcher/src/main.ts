import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { createLogger } from '@calls/foundation/logger';
import { readDispatcherConfig } from './config.ts';
import { createDispatcher } from './dispatcher.ts';

/** Time limit for stopping: longer than a job may run. */
const STOP_LIMIT_MS = 70_000;

const config = readOwnConfig(process.env, readDispatcherConfig);
const log = createLogger(config.log);

await runProcess({ log, stopLimitMs: STOP_LIMIT_MS, start: () => createDispatcher(config, log) });
