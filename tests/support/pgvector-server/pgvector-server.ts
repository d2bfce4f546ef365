import { join } from 'node:path';
import { startStandInProcess, type StandInProcess } from '@calls/testkit/stand-in-process';

/** Starts the server. Its ready message is the URL of an empty database with pgvector available but not installed. */
export function startPgvectorServer(): Promise<StandInProcess<string>> {
  return startStandInProcess<string>(join(import.meta.dirname, 'main.ts'), {});
}
