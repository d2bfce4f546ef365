import { request } from 'node:http';
import { join } from 'node:path';

export type MeteredService = 'control-plane' | 'dispatcher' | 'media-worker';

/** Environment variables that enable the measurement in services, with sockets in a folder. */
export function turnMeterEnvironment(directory: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${new URL('./preload.ts', import.meta.url).href}`,
    TURN_METER_DIR: directory,
  };
}

export interface Turns {
  /** The longest turn of the event loop. */
  longestMs: number;
  /** Duration of work that is always the same. It shows how slow the machine is. */
  referenceMs: number;
}

/** Measures a service during `work`, in milliseconds of CPU time. */
export async function longestTurnMs<T>(
  directory: string,
  service: MeteredService,
  work: () => Promise<T>,
): Promise<Turns & { result: T }> {
  // Includes the compilation of the reference work.
  await ask(directory, service, '/start');
  try {
    const result = await work();
    return { result, ...(await ask(directory, service, '/stop')) };
  } finally {
    await ask(directory, service, '/stop');
  }
}

function ask(directory: string, service: MeteredService, path: string): Promise<Turns> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: join(directory, service), method: 'POST', path }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(JSON.parse(text) as Turns));
    });
    asked.on('error', reject).end();
  });
}
