import { readFile } from 'node:fs/promises';

/** The API key that `npm start` creates; ends the process if there is none. */
export async function developmentKey(): Promise<string> {
  const path = `${process.env['DATA_DIR'] ?? '.data'}/dev-api-key`;
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    console.error(`no API key: start the service first (npm start writes ${path}), or give one as API_KEY`);
    process.exit(1);
  }
}
