import { join } from 'node:path';
import { askStandIn, startStandInProcess } from '@calls/testkit/stand-in-process';
import type { Control } from './behaviour.ts';
import type { Report } from './request-log.ts';

/** A process that implements the protocols of the TTS providers. */
export interface TtsStandIns extends AsyncDisposable {
  /** URL of all providers except provider4. */
  readonly httpUrl: string;
  /** URL of provider4. */
  readonly grpcUrl: string;
  /** Sets the behaviour, resets everything else to normal and clears recorded requests. */
  control(control?: Control): Promise<void>;
  report(): Promise<Report>;
}

export async function startTtsStandIns(options: {
  apiKey: string;
  publicKeyPem: string;
}): Promise<TtsStandIns> {
  const child = await startStandInProcess<{ httpPort: number; grpcPort: number }>(
    join(import.meta.dirname, 'main.ts'),
    { API_KEY: options.apiKey, PUBLIC_KEY_PEM: options.publicKeyPem },
  );
  const { httpPort, grpcPort } = child.ready;
  const httpUrl = `http://127.0.0.1:${httpPort}`;
  return {
    httpUrl,
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    async control(control = {}) {
      await askStandIn(`${httpUrl}/control`, control);
    },
    report: async () => (await askStandIn(`${httpUrl}/requests`)) as Report,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
