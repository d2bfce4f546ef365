import { readOwnConfig, runProcess } from '@calls/foundation/lifecycle';
import { createLogger } from '@calls/foundation/logger';
import { readControlPlaneConfig } from './config.ts';
import { createControlPlane } from './control-plane.ts';

const STOP_LIMIT_MS = 15_000;

const config = readOwnConfig(process.env, readControlPlaneConfig);
const log = createLogger(config.log);

await runProcess({ log, stopLimitMs: STOP_LIMIT_MS, start: () => createControlPlane(config, log) });
