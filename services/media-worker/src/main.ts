import { createLogger, runProcess } from '@calls/foundation';
import { readConfig } from './config.ts';
import { createMediaWorker } from './create-media-worker.ts';

const config = readConfig(process.env);
const log = createLogger(config.log);
await runProcess({
  log,
  stopLimitMs: config.drainLimitMs + 10_000,
  start: () => createMediaWorker(config, log),
});
