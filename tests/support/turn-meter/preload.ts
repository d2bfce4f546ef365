/**
 * Preloaded into a service: measures the longest turn of its event loop in CPU time of the main thread. Controlled on a
 * socket in TURN_METER_DIR: POST /start, then POST /stop. Each response has the longest turn so far and the time of the
 * reference work now, in milliseconds.
 */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** Turns within this interval are measured together. A measurement per `setImmediate` would occupy a processor. */
const INTERVAL_MS = 2;

const directory = process.env['TURN_METER_DIR'];
const [, service] = /services\/([\w-]+)\/src\/main\.(?:ts|mjs)$/u.exec(process.argv[1] ?? '') ?? [];

/** Enough for the resolution of the CPU time, which is 4 ms or more on some machines. */
const REFERENCE_ROUNDS = 50;
const REFERENCE = JSON.stringify(
  Array.from({ length: 2000 }, (_, index) => ({ index, text: `item ${index}` })),
);

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

/** CPU time of work that is always the same. It grows with everything that makes this thread slower. */
function referenceUs(): number {
  const startUs = usedUs();
  for (let round = 0; round < REFERENCE_ROUNDS; round += 1) JSON.stringify(JSON.parse(REFERENCE));
  return usedUs() - startUs;
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
    const turns = { longestMs: longestUs / 1000, referenceMs: referenceUs() / 1000 };
    lastUs = usedUs();
    response.end(JSON.stringify(turns));
  });
  server.listen(join(directory, service)).unref();
}
