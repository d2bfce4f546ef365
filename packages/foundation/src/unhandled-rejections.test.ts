import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';

const urlOf = (path: string): string => new URL(path, import.meta.url).href;
const PROGRAM = `
import { runProcess } from '${urlOf('./lifecycle.ts')}';
import { createLogger } from '${urlOf('./logger.ts')}';
import { catchUnhandledRejections, unhandledRejections, failOnUnhandledRejection } from '${urlOf('./unhandled-rejections.ts')}';
const say = (event, value) => console.log(JSON.stringify({ event, value }));
const log = createLogger({ service: 'test', level: 'error', logPii: false });
process.on('exit', (code) => say('exit', { code, rejections: unhandledRejections() }));
setInterval(() => {}, 60_000);
await runProcess({
  log,
  stopLimitMs: 60_000,
  async start() {
    const started = { async [Symbol.asyncDispose]() {} };
    SCENARIO
    return started;
  },
});
`;

interface Line {
  event?: string;
  value?: unknown;
  msg?: string;
  hasOwner?: boolean;
}

/** The log of a service process that runs this code in its `start`. */
async function linesOf(scenario: string): Promise<Line[]> {
  const program = PROGRAM.replace('SCENARIO', scenario);
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Runs each step in its own turn of the event loop after the process is ready. */
const afterStart = (...steps: string[]): string =>
  [...steps, `process.kill(process.pid, 'SIGTERM');`].reduceRight(
    (later, step) => `setImmediate(() => { ${step} ${later} });`,
    '',
  );

describe('an unhandled rejection', () => {
  it('ends the call or request that it belongs to, and the process continues', async () => {
    const stray = `(async () => { await null; throw new Error('stray'); })();`;
    const lines = await linesOf(
      afterStart(
        '',
        `catchUnhandledRejections((err) => say('ended', err.message), () => { setImmediate(() => { ${stray} }); });`,
        `failOnUnhandledRejection(() => { ${stray} return new Promise(() => {}); }).catch((err) => say('rejected', err.message));`,
        stray,
        '',
      ),
    );
    expect(lines).toContainEqual({ event: 'ended', value: 'stray' });
    expect(lines).toContainEqual({ event: 'rejected', value: 'stray' });
    const logged = lines.filter(({ msg }) => msg === 'unhandled rejection');
    expect(logged.map(({ hasOwner }) => hasOwner).sort()).toEqual([false, true, true]);
    expect(lines.at(-1)).toEqual({ event: 'exit', value: { code: 0, rejections: 3 } });
  });

  it('ends the process when it occurs during the start', async () => {
    const lines = await linesOf(
      `Promise.reject(new Error('early')); await new Promise(() => setTimeout(() => {}, 60_000));`,
    );
    expect(lines.at(-1)).toMatchObject({ event: 'exit', value: { code: 1 } });
  });
});
