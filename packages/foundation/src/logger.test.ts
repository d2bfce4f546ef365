import { describe, expect, it } from '@jest/globals';
import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { AppError } from './errors.ts';
import { createLogger, ofCall, withoutContent } from './logger.ts';
import { newTraceContext, runInTrace } from './trace-context.ts';

const SECRET = 'the caller said 4929 1234';

function logged(write: (log: ReturnType<typeof createLogger>) => void, logPii = false): unknown {
  const lines: string[] = [];
  write(
    createLogger(
      { service: 'test', level: 'debug', logPii },
      { write: (line: string) => void lines.push(line) },
    ),
  );
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

/** Has the properties of an error that pg throws. */
class DatabaseError extends Error {
  readonly code = '23505';
  readonly detail = `Key (text)=(${SECRET}) already exists.`;
  readonly where = `COPY calls, line 1: "${SECRET}"`;
  readonly parameters = [SECRET];
}

describe('a logged error', () => {
  it('has type, message, code, stack and causes, and no other properties', () => {
    const cause = new DatabaseError('duplicate key value violates unique constraint "calls_pkey"');
    const line = logged((log) =>
      log
        .child({ callId: 'c' })
        .error({ err: new AppError('not_stored', 'the call was not stored', { cause }) }, 'x'),
    );
    expect(line).toMatchObject({
      msg: 'x',
      callId: 'c',
      err: {
        type: 'AppError',
        message: 'the call was not stored',
        code: 'not_stored',
        cause: { type: 'DatabaseError', message: cause.message, code: '23505' },
      },
    });
    const { err } = line as { err: { stack: string; cause: object } };
    expect(err.stack).toMatch(/^AppError: the call was not stored\n {4}at .*logger\.test\.ts/u);
    expect(Object.keys(err.cause).sort()).toEqual(['code', 'message', 'stack', 'type']);
    expect(JSON.stringify(line)).not.toContain(SECRET);
  });

  it('has the same properties when it is logged without a key', () => {
    expect(JSON.stringify(logged((log) => log.error(new DatabaseError('x'))))).not.toContain(SECRET);
  });

  it('has a message of bounded length, also in its stack', () => {
    const message = `invalid input syntax for type json: ${'x'.repeat(450)}\n    at ${'y'.repeat(10_000)}${SECRET}`;
    const err = new Error(message);
    // Real frames are as long as the path of the checkout.
    err.stack = `Error: ${message}\n    at here (file.ts:1:1)`;
    const line = JSON.stringify(logged((log) => log.error({ err }, 'x')));
    expect(line.length).toBeLessThan(1500);
    expect(line).not.toContain(SECRET);
  });

  it('has a limited number of causes when they are circular', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(logged((log) => log.error({ err: error }, 'x'))).match(/"cause"/gu)).toHaveLength(
      4,
    );
  });

  it('may be a thrown value that is not an Error', () => {
    expect(logged((log) => log.error({ err: 'text' }, 'x'))).toMatchObject({ err: { message: 'text' } });
  });

  it('has no message and no `pii` fields in a `withoutContent` logger, even if the process logs PII', () => {
    const cause = new Error(SECRET, { cause: new Error(SECRET) });
    const err = new AppError('not_said', `could not say "${SECRET}"`, { cause });
    const line = logged(
      (log) =>
        withoutContent(log.child({ callId: 'c' }))
          .child({ a: 1 })
          .warn({ err, pii: SECRET }, 'x'),
      true,
    );
    expect(JSON.stringify(line)).not.toContain(SECRET);
    expect(line).toMatchObject({
      callId: 'c',
      a: 1,
      err: { type: 'AppError', code: 'not_said', cause: { type: 'Error' } },
    });
    expect((line as { err: { stack: string } }).err.stack).toMatch(/^AppError\n {4}at /u);
  });
});

describe('the `pii` field', () => {
  it('is logged only when `logPii` is set', () => {
    const write = (log: ReturnType<typeof createLogger>): void => log.info({ pii: { text: SECRET } }, 'x');
    expect(JSON.stringify(logged(write))).not.toContain(SECRET);
    expect(JSON.stringify(logged(write, true))).toContain(SECRET);
  });
});

describe('a log line in a trace', () => {
  const trace = newTraceContext(null);
  const inTrace = (write: (log: ReturnType<typeof createLogger>) => void): unknown =>
    logged((log) => runInTrace(trace, () => write(log), 'c'));

  it('has the ids of its trace and its call', () => {
    expect(inTrace((log) => log.info({ a: 1 }, 'x'))).toMatchObject({
      traceId: trace.traceId,
      callId: 'c',
      a: 1,
    });
    expect(logged((log) => log.info({}, 'x'))).not.toHaveProperty('traceId');
  });

  it('has the trace of the call, not that of the operation, when a call logger writes it', () => {
    const lines: string[] = [];
    const log = createLogger(
      { service: 'test', level: 'info', logPii: false },
      { write: (line: string) => void lines.push(line) },
    );
    const callLog = withoutContent(ofCall(log, { callId: 'own', traceId: 'own trace' })).child({ b: 2 });
    runInTrace(trace, () => callLog.info({}, 'x'), 'c');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ callId: 'own', traceId: 'own trace', b: 2 });
    expect(lines[0]?.match(/traceId/gu)).toHaveLength(1);
  });
});

describe('a logger that writes to standard output', () => {
  const program = `
    import { createLogger } from '${import.meta.resolve('./logger.ts')}';
    const log = createLogger({ service: 'test', level: 'info', logPii: false });
    for (let i = 0; i < 2000; i += 1) log.info({ padding: 'x'.repeat(1000) }, 'line');
    process.stderr.write('logged', () => process.stdin.resume().on('end', () => process.exit(0)));
  `;
  const run = (stdio: StdioOptions) =>
    spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      { stdio },
    );

  it('does not end its process when the disk is full', async () => {
    const full = openSync('/dev/full', 'w');
    const child = run(['ignore', full, 'pipe']);
    closeSync(full);
    const said = child.stderr && text(child.stderr);
    const [code] = (await once(child, 'exit')) as [number | null];
    expect([code, await said]).toEqual([0, 'logged']);
  });

  it('does not stop its process when nothing reads the output, and then logs how many lines were dropped', async () => {
    const child = run(['pipe', 'pipe', 'pipe']);
    const [stdin, stdout, stderr] = [child.stdin!, child.stdout!, child.stderr!];
    expect(String(await once(stderr, 'data'))).toBe('logged');
    const lines: { msg: string; lines?: number }[] = [];
    for await (const line of createInterface(stdout)) {
      lines.push(JSON.parse(line) as (typeof lines)[number]);
      if (lines.at(-1)?.lines !== undefined) break;
    }
    stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    const last = lines.pop();
    expect(last).toMatchObject({ level: 40, msg: 'dropped log lines; the output was not read in time' });
    expect(lines.map(({ msg }) => msg)).toEqual(Array.from({ length: 2000 - last!.lines! }, () => 'line'));
  });
});
