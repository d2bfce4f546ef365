import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Control } from './behaviour.ts';
import type { Report } from './request-log.ts';

/** A process of its own that speaks the wire protocols of the speech providers. */
export interface TtsStandIns extends AsyncDisposable {
  /** Of all but provider4. */
  readonly httpUrl: string;
  /** Of provider4. */
  readonly grpcUrl: string;
  /** Behaves as told from now on, in all else well; forgets what it was asked. */
  control(control?: Control): Promise<void>;
  report(): Promise<Report>;
}

const START_LIMIT_MS = 15_000;

export async function startTtsStandIns(options: {
  apiKey: string;
  publicKeyPem: string;
}): Promise<TtsStandIns> {
  const child = fork(join(import.meta.dirname, 'main.ts'), [], {
    execArgv: [],
    env: { PATH: process.env['PATH'], API_KEY: options.apiKey, PUBLIC_KEY_PEM: options.publicKeyPem },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { httpPort, grpcPort } = await listening(child);
  const httpUrl = `http://127.0.0.1:${httpPort}`;
  const ask = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${httpUrl}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { connection: 'close' },
    });
    if (!response.ok) throw new Error(`the stand-ins answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  return {
    httpUrl,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    async control(control = {}) {
      await ask('/control', control);
    },
    report: async () => (await ask('/requests', {})) as Report,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function listening(child: ChildProcess): Promise<{ httpPort: number; grpcPort: number }> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
    child.once('message', (message: { httpPort: number; grpcPort: number }) => {
      clearTimeout(limit);
      resolve(message);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(limit);
      reject(new Error(`the stand-ins ended with ${String(code)} before they were ready`));
    });
  });
}
