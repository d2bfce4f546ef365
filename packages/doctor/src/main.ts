import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EnvReader } from '@calls/foundation/env-reader';
import { toError } from '@calls/foundation/errors';
import { text } from '@calls/foundation/variable';
import { runEngines } from './engines/run-engines.ts';
import { examine } from './examine.ts';
import { Findings, findingText } from './findings.ts';
import { runSip } from './sip/run-sip.ts';

const USAGE = `usage: npm run doctor [-- --url <URL of the service> --key <API key>]

Checks what could prevent calls from a browser on this machine. Run it where your callers are, or as close as possible.
To check a SIP trunk: npm run doctor -- sip trunk.json --to <number>
To check the configured engines: npm run doctor -- engines
Default: the service that \`npm start\` runs on this machine (PORT and DATA_DIR as there), and the API key in API_KEY or its
development key.
Exit code: 0 no problems, 1 problems found, 2 wrong usage.`;

/** Values are not validated here: the service validates them, and a wrong URL is a finding. */
const VARIABLES = {
  PUBLIC_URL: text({ unset: '`http://localhost:$PORT`', meaning: 'URL at which clients reach the API.' }),
  PORT: text({ default: '8080', meaning: 'Port of the REST API and the console.' }),
  API_KEY: text({ unset: 'the development key', meaning: 'API key for the test calls' }),
  DATA_DIR: text({ default: join(import.meta.dirname, '../../../.data'), meaning: "the launcher's data" }),
};

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  if (args[0] === 'sip') return runSip(args.slice(1), (text) => void say(text, 0));
  if (args[0] === 'engines')
    return runEngines(args.slice(1), new EnvReader(process.env), (text) => void say(text, 0));
  const given = readArguments(args);
  if (typeof given === 'string') return say(`${given}\n\n${USAGE}`, 2);
  if (given.help) return say(USAGE, 0);
  const values = new EnvReader(process.env).read(VARIABLES);
  const { url = values.PUBLIC_URL ?? `http://localhost:${values.PORT}` } = given;
  const key = given.key ?? values.API_KEY ?? (await developmentKey(values.DATA_DIR));
  if (!URL.canParse(url) || !/^https?:/u.test(url))
    return say(`--url must be an http or https URL, not "${url}"`, 2);
  if (key === '') return say(`No API key: pass --key or set API_KEY.\n\n${USAGE}`, 2);
  const findings = new Findings((finding) => void say(findingText(finding), 0));
  await examine(new URL(url), key, findings);
  const { errors, warnings } = findings;
  const more = warnings > 0 ? ` Warnings to look at: ${warnings}.` : '';
  if (errors > 0) return say(`\nProblems that prevent calls: ${errors}.${more}`, 1);
  return say(`\nNo problems: a browser on this machine can make calls.${more}`, 0);
}

/** Returns a text if the arguments are invalid. */
function readArguments(args: string[]): { url?: string; key?: string; help: boolean } | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        url: { type: 'string' },
        key: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (thrown) {
    return toError(thrown).message;
  }
}

async function developmentKey(dataDir: string): Promise<string> {
  const path = join(dataDir, 'dev-api-key');
  return (await readFile(path, 'utf8').catch(() => '')).trim();
}

function say(text: string, code: number): number {
  process.stdout.write(`${text}\n`);
  return code;
}
