import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { createLogger } from '@calls/foundation/logger';
import { raisePriority } from '@calls/foundation/process-priority';
import { readMediaWorkerConfig } from './config.ts';
import { createMediaWorker } from './create-media-worker.ts';

const config = readOwnConfig(process.env, readMediaWorkerConfig);
const log = createLogger(config.log);
// Before any thread starts: audio is delay-sensitive, other work on the machine is not.
if (raisePriority()) log.debug({}, 'raised process priority');
else log.debug({}, 'process priority not raised: needs root or CAP_SYS_NICE');
await runProcess({
  log,
  stopLimitMs: config.drainLimitMs + 10_000,
  start: () => createMediaWorker(config, log),
});
