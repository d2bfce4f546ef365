import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAdminClient } from '@calls/api-client/admin';
import { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import { ConfigError, readEnvironment } from '@calls/foundation/env-reader';
import { AppError, toError } from '@calls/foundation/errors';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { text } from '@calls/foundation/variable';
import { newAdminToken } from '../auth/admin-tokens.ts';
import { COMMANDS, required, UNLIMITED, type Command, type CommandInput } from './commands.ts';

const REQUEST_LIMIT_MS = 30_000;
const DEFAULT_DATA_DIR = join(import.meta.dirname, '../../../../.data');

const VARIABLES = {
  ADMIN_URL: text({
    unset: '`http://127.0.0.1:$ADMIN_PORT`',
    meaning: 'where the CLI reaches the admin API',
  }),
  ADMIN_PORT: SHARED_VARIABLES.ADMIN_PORT,
  ADMIN_TOKEN: text({ unset: 'that of `npm start`', meaning: 'token of the administrator' }),
  DATA_DIR: text({ default: DEFAULT_DATA_DIR, meaning: SHARED_VARIABLES.DATA_DIR.meaning }),
};

const USAGE = `usage: npm run admin -- <command>
       npm run --silent admin -- <command> --json

${COMMANDS.map(({ usage, summary }) => `  ${usage}\n      ${summary}`).join('\n')}
  new-token --name <name>
      Prints a new admin token, and its entry for ADMIN_TOKENS. Needs no server.

Plans: FREE, PAYGO, PRO, SCALE. Features: sip, retentionPolicy, admissionPreference.
A --limit replaces one of the plan's limits, as in --limit concurrentCalls=50.
Limits: ${Object.keys(PlanLimits.properties).join(', ')}.
The value none removes one of these limits: ${UNLIMITED.join(', ')}.
Reads the token from ADMIN_TOKEN and the address of the admin API from ADMIN_URL (http://127.0.0.1:8083). Without
both it manages the installation that npm start runs on this machine.
Exit code: 0 done, 1 failed, 2 wrong usage.`;

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return args.length === 0 ? 2 : 0;
  }
  try {
    process.stdout.write(`${await output(args)}\n`);
    return 0;
  } catch (thrown) {
    const isConfig = thrown instanceof ConfigError;
    const isUsage = isConfig || (thrown instanceof AppError && thrown.code === 'usage');
    const isExplained = isConfig || thrown instanceof AppError;
    const detail = isExplained ? thrown.message : explained(toError(thrown));
    process.stderr.write(`${detail}${isUsage ? '\nSee --help.' : ''}\n`);
    return isUsage ? 2 : 1;
  }
}

async function output(args: readonly string[]): Promise<string> {
  if (args[0] === 'new-token') {
    const { options } = given({ words: ['new-token'], operands: [], options: ['name'] }, args);
    return newAdminToken(required(options, 'name'));
  }
  const command = COMMANDS.find(({ words }) => words.every((word, index) => args[index] === word));
  if (!command) throw new AppError('usage', `Unknown command: ${args.slice(0, 2).join(' ')}.`);
  const input = given(command, args);
  const { ADMIN_URL, ADMIN_PORT, ADMIN_TOKEN, DATA_DIR } = readEnvironment(process.env, (env) =>
    env.read(VARIABLES),
  );
  const baseUrl = (ADMIN_URL ?? `http://127.0.0.1:${ADMIN_PORT}`).replace(/\/+$/u, '');
  if (!ADMIN_TOKEN && ADMIN_URL) throw new AppError('usage', 'ADMIN_TOKEN is not set.');
  const token = ADMIN_TOKEN ?? localToken(DATA_DIR);
  if (!/^[!-~]+$/u.test(token))
    throw new AppError('usage', 'ADMIN_TOKEN must be a token as `npm run admin -- new-token` prints it.');
  const client = createAdminClient({ baseUrl, token, requestLimitMs: REQUEST_LIMIT_MS });
  const result = await command.run(client, input);
  if (input.json) return JSON.stringify(result ?? null, null, 2);
  return result === undefined ? 'Done.' : printed(result, command.columns);
}

/** The token that `npm start` generates. */
function localToken(dataDir: string): string {
  const path = join(dataDir, 'secrets/admin-token');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new AppError('usage', `ADMIN_TOKEN is not set, and npm start has not written ${path}.`);
  }
}

function given(
  command: Pick<Command, 'words' | 'operands' | 'options'>,
  args: readonly string[],
): CommandInput {
  const { words, operands, options } = command;
  try {
    const { values, positionals } = parseArgs({
      args: args.slice(words.length),
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        ...Object.fromEntries(options.map((name) => [name, { type: 'string', multiple: true } as const])),
      },
    });
    if (positionals.length !== operands.length || positionals.includes('')) {
      throw new AppError(
        'usage',
        `Expected arguments: ${operands.map((name) => `<${name}>`).join(' ') || 'none'}.`,
      );
    }
    const { json, ...strings } = values as { json: boolean } & Record<string, string[]>;
    return { json, operands: positionals, options: strings };
  } catch (thrown) {
    throw new AppError('usage', toError(thrown).message);
  }
}

function explained(error: Error): string {
  const cause = error.cause === undefined ? '' : `: ${toError(error.cause).message}`;
  return `The admin API could not be reached (${error.message}${cause}). Check ADMIN_URL.`;
}

/** A list as a table of these columns, anything else as lines of fields. */
function printed(result: unknown, columns: readonly string[] = []): string {
  if (!Array.isArray(result)) return aligned(Object.entries(result as Record<string, unknown>));
  const rows = result as Record<string, unknown>[];
  return aligned([columns, ...rows.map((row) => columns.map((name) => row[name]))]);
}

/** Rows with columns of equal width. */
function aligned(rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(cell));
  const widthOf = (column: number): number => Math.max(...cells.map((row) => row[column]?.length ?? 0));
  const widths = (cells[0] ?? []).map((_, column) => widthOf(column));
  const line = (row: string[]): string =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ');
  return cells.map((row) => line(row).trimEnd()).join('\n');
}

/** Control characters could change what a terminal shows. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/\p{Cc}/gu, '\ufffd');
}
