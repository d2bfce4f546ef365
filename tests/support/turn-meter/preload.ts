/**
 * Preloaded into a service: measures the longest turn of its event loop in CPU time of the main thread. Controlled on a
 * socket in TURN_METER_DIR: POST /start, then POST /stop, whose response is the duration in milliseconds.
 */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** Turns within this interval are measured together. A measurement per `setImmediate` would occupy a processor. */
const INTERVAL_MS = 2;

const directory = process.env['TURN_METER_DIR'];
const [, service] = /services\/([\w-]+)\/src\/main\.(?:ts|mjs)$/u.exec(process.argv[1] ?? '') ?? [];

let timer: NodeJS.Timeout | undefined;
let lastUs = 0;
let longestUs = 0;

function usedUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function measure(): void {
  const nowUs = usedUs();
  longestUs = Math.max(longestUs, nowUs - lastUs);
  lastUs = nowUs;
}

if (isMainThread && directory !== undefined && service !== undefined) {
  const server = createServer((request, response) => {
    clearInterval(timer);
    if (request.url === '/start') {
      longestUs = 0;
      lastUs = usedUs();
      timer = setInterval(measure, INTERVAL_MS).unref();
    } else {
      measure();
    }
    response.end(String(longestUs / 1000));
  });
  server.listen(join(directory, service)).unref();
}
