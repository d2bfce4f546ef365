import { join } from 'node:path';
import { startStandInProcess, type StandInProcess } from '../stand-in-process.ts';

/** Ready with the URL of an empty database, which has the extension available but not created. */
export function startPgvectorServer(): Promise<StandInProcess<string>> {
  return startStandInProcess<string>(join(import.meta.dirname, 'main.ts'), {});
}
