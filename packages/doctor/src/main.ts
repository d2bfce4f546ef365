import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { examine } from './examine.ts';
import { Findings, findingText } from './findings.ts';

const USAGE = `usage: npm run doctor [-- --url <URL of the service> --key <API key>]

Says what stands between a browser here and a call: run it where your callers are, or as near to them as you can.
Default: the service that \`npm start\` runs on this machine. Exit code: 0 nothing does, 1 something does, 2 wrong usage.`;

const DEV_KEY = join(import.meta.dirname, '../../../.data/dev-api-key');

const { values } = parseArgs({
  options: { url: { type: 'string' }, key: { type: 'string' }, help: { type: 'boolean' } },
});
const url = values.url ?? process.env['PUBLIC_URL'] ?? `http://localhost:${process.env['PORT'] ?? '8080'}`;
const key =
  values.key ?? process.env['CALLS_API_KEY'] ?? (await readFile(DEV_KEY, 'utf8').catch(() => '')).trim();
process.exitCode = await run();

async function run(): Promise<number> {
  if (values.help === true) return say(USAGE, 0);
  if (!URL.canParse(url) || !/^https?:/u.test(url)) return say(`--url: not an http or https URL: ${url}`, 2);
  if (key === '') return say(`There is no API key: give one by --key or CALLS_API_KEY.\n\n${USAGE}`, 2);
  const findings = new Findings((finding) => void say(findingText(finding), 0));
  await examine(new URL(url), key, findings);
  const { faults, warnings } = findings;
  if (faults > 0) return say(`\n${faults} in the way of calls, ${warnings} to look at.`, 1);
  return say(
    `\nNothing stands between a browser here and a call${warnings > 0 ? `; ${warnings} to look at` : ''}.`,
    0,
  );
}

function say(text: string, code: number): number {
  process.stdout.write(`${text}\n`);
  return code;
}
