import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it, jest } from '@jest/globals';
import { startCapability, UnusableVariableError } from './lifecycle.ts';
import { silentLogger } from './logger.ts';

describe('UnusableVariableError', () => {
  it('names each cause once, also those of several servers', () => {
    const refused = new Error('connection refused');
    const all = new AggregateError([refused, new Error('no login', { cause: refused }), refused]);
    const { message } = new UnusableVariableError('URL', new Error('not available', { cause: all }));
    expect(message).toBe('URL: not available: connection refused; no login: connection refused');
  });
});

describe('startCapability', () => {
  const component = (name: string, stopped: string[]): AsyncDisposable => ({
    [Symbol.asyncDispose]: () => Promise.resolve(void stopped.push(name)),
  });

  it('resolves with the result of the start function, and stops components once, in reverse order', async () => {
    const stopped: string[] = [];
    const capability = await startCapability(silentLogger, async (components) => {
      const inner = await startCapability(silentLogger, (nested) => {
        nested.own('store', component('store', stopped));
        nested.own('timer', { [Symbol.dispose]: () => void stopped.push('timer') });
        return { value: 1 };
      });
      const { value } = components.own('inner', inner);
      components.add('server', () => void stopped.push('server'));
      return { port: value + 1 };
    });
    expect(capability.port).toBe(2);
    await capability[Symbol.asyncDispose]();
    await capability[Symbol.asyncDispose]();
    expect(stopped).toEqual(['server', 'timer', 'store']);
  });

  it('stops the started components when the start fails, even if one of them fails to stop', async () => {
    const stopped: string[] = [];
    const starting = startCapability(silentLogger, (components) => {
      components.own('store', component('store', stopped));
      components.add('bus', () => Promise.reject(new Error('bus failed to stop')));
      throw new Error('port in use');
    });
    await expect(starting).rejects.toThrow('port in use');
    expect(stopped).toEqual(['store']);
  });

  it('logs components that take 3 s longer to stop than they may', async () => {
    jest.useFakeTimers();
    try {
      const slow: unknown[] = [];
      const log = { ...silentLogger, warn: (fields: object) => void slow.push(fields) };
      const takes = (ms: number) => () => new Promise<void>((resolve) => void setTimeout(resolve, ms));
      const capability = await startCapability(log, (components) => {
        components.add('server', takes(3100));
        components.add('store', takes(2900));
        components.add('calls', takes(12_900), 10_000);
        components.add('admission', takes(13_100), 10_000);
        return {};
      });
      const stopped = capability[Symbol.asyncDispose]();
      await jest.advanceTimersByTimeAsync(40_000);
      await stopped;
      expect(slow).toEqual([{ component: 'admission' }, { component: 'server' }]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('readOwnConfig', () => {
  it('prints the configuration issues without a stack trace, and ends the process', () => {
    const program = `
      import { readOwnConfig } from '${import.meta.resolve('./lifecycle.ts')}';
      import { integer, text } from '${import.meta.resolve('./variable.ts')}';
      readOwnConfig(process.env, (env) => env.read({
        PORT: integer({ default: 1, min: 1, max: 65_535, meaning: 'a port' }),
        NAME: text({ meaning: 'a name' }),
      }));
      console.log('started');
    `;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      { env: { PORT: '0' }, encoding: 'utf8' },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^bad configuration:\n {2}PORT .*\n {2}NAME is required\n$/u),
    });
  });
});

describe('runProcess', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'exits on %s while the start waits for a server',
    async (signal) => {
      const program = `
      import { runProcess } from '${import.meta.resolve('./lifecycle.ts')}';
      import { createLogger } from '${import.meta.resolve('./logger.ts')}';
      const log = createLogger({ service: 'test', level: 'info', logPii: false });
      setInterval(() => undefined, 1000);
      const start = () => (process.stderr.write('starting'), new Promise(() => undefined));
      await runProcess({ log, stopLimitMs: 1000, start });
    `;
      const child = spawn(process.execPath, [
        ...['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      ]);
      const stdout = text(child.stdout);
      await once(child.stderr, 'data');
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).toBe(0);
      expect(JSON.parse(await stdout)).toMatchObject({ msg: 'stopped during startup', reason: signal });
    },
  );

  it.each([
    ['continues to stop', 'SIGTERM', 0, null],
    ['continues to stop', 'SIGHUP', 0, null],
    ['exits at once', 'SIGINT', null, 'SIGINT'],
  ] as const)('%s when %s is repeated', async (_what, signal, code, endedBy) => {
    const program = `
      import { runProcess } from '${import.meta.resolve('./lifecycle.ts')}';
      import { createLogger } from '${import.meta.resolve('./logger.ts')}';
      const log = createLogger({ service: 'test', level: 'info', logPii: false });
      setInterval(() => undefined, 1000);
      const stop = () => (process.send('stopping'), new Promise((resolve) => process.once('message', resolve)));
      await runProcess({ log, stopLimitMs: 60_000, start: async () => ({ [Symbol.asyncDispose]: stop }) });
    `;
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    expect(await once(child, 'message')).toMatchObject([{ type: 'ready' }, undefined]);
    child.kill(signal);
    expect(await once(child, 'message')).toEqual(['stopping', undefined]);
    child.kill(signal);
    const exited = once(child, 'exit');
    // The signal arrives before the message.
    child.send('stopped', () => undefined);
    expect(await exited).toEqual([code, endedBy]);
  });
});
