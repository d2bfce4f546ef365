import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { WebSocket } from 'ws';
import { eventually } from '../eventually.ts';

const LISTENING = /WebDriver BiDi listening on (ws:\S+)/u;
/** Provides a microphone that plays a tone, and allows audio without a click and connections within this machine. */
const PREFERENCES: Readonly<Record<string, boolean | number>> = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'media.peerconnection.ice.loopback': true,
  'media.peerconnection.ice.obfuscate_host_addresses': false,
  'media.autoplay.default': 0,
  'app.update.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
};

/** Firefox with one page, controlled by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). */
export interface FirefoxPage extends AsyncDisposable {
  goto(url: string): Promise<void>;
  /** Resolves with the value of the expression as JSON transfers it. If the value is a promise, waits for it. */
  evaluate(expression: string): Promise<unknown>;
}

export async function openFirefox(): Promise<FirefoxPage> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'firefox-'));
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${String(value)});`);
  await writeFile(join(folder, 'user.js'), lines.join('\n'));
  const speaker = join(folder, 'speaker');
  // Firefox runs no audio context without an output device.
  undo.use(
    run('pulseaudio', [
      ...['-n', '--daemonize=no', '--use-pid-file=no', '--disable-shm', '--exit-idle-time=-1'],
      ...['-L', `module-native-protocol-unix auth-anonymous=1 socket=${speaker}`, '-L', 'module-null-sink'],
    ]),
  );
  await eventually(() => access(speaker));
  const firefox = undo.use(
    run('firefox-esr', ['--headless', '--no-remote', '--profile', folder, '--remote-debugging-port', '0'], {
      PULSE_SERVER: `unix:${speaker}`,
    }),
  );
  const socket = new WebSocket(`${await addressIn(firefox.output)}/session`);
  undo.defer(() => socket.terminate());
  await once(socket, 'open');
  const send = createCommands(socket);
  await send('session.new', { capabilities: {} });
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]?.context;
  const opened = undo.move();
  return {
    goto: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate: async (expression) => {
      const called = await send('script.callFunction', {
        functionDeclaration: `async () => JSON.stringify((await (${expression})) ?? null)`,
        target: { context },
        awaitPromise: true,
        userActivation: true,
      });
      const { type, result, exceptionDetails } = called as Evaluation;
      if (type !== 'success') throw new Error(exceptionDetails?.text ?? 'the page threw an error');
      return JSON.parse(result?.value ?? 'null') as unknown;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A program that is killed when this is disposed. */
function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): AsyncDisposable & { readonly output: Readable } {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stderr.resume();
  return {
    output: child.stderr,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

interface Evaluation {
  type: 'success' | 'exception';
  result?: { value?: string };
  exceptionDetails?: { text: string };
}

async function addressIn(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const address = LISTENING.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('Firefox ended before it could be controlled');
}

function createCommands(socket: WebSocket): (method: string, params: object) => Promise<unknown> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  socket.on('message', (data: Buffer) => {
    const { id, type, result, error, message } = JSON.parse(data.toString()) as FirefoxMessage;
    const command = waiting.get(id ?? 0);
    waiting.delete(id ?? 0);
    if (type === 'error') command?.reject(new Error(`${error ?? ''}: ${message ?? ''}`));
    else command?.resolve(result);
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox closed its connection'));
  });
  return (method, params) => {
    const command = Promise.withResolvers<unknown>();
    last += 1;
    waiting.set(last, command);
    socket.send(JSON.stringify({ id: last, method, params }));
    return command.promise;
  };
}

interface FirefoxMessage {
  id?: number;
  type: 'success' | 'error' | 'event';
  result?: unknown;
  error?: string;
  message?: string;
}
