import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readControlPlaneConfig, readPrepareDatabaseConfig } from '@calls/control-plane/config';
import { readDispatcherConfig } from '@calls/dispatcher/config';
import { EnvReader } from '@calls/foundation/env-reader';
import type { Variable } from '@calls/foundation/variable';
import { readLauncherConfig } from '@calls/local-stack/launcher-config';
import { readMediaWorkerConfig } from '@calls/media-worker/config';
import { readEngines } from '@calls/providers/config/provider-config';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = 'docs/reference/configuration';

/** By the letter of the process that reads them. The reference has the default and the bounds of the first one. */
const READERS: Readonly<Record<string, (env: EnvReader) => unknown>> = {
  C: readControlPlaneConfig,
  M: readMediaWorkerConfig,
  D: readDispatcherConfig,
  P: readPrepareDatabaseConfig,
  L: readLauncherConfig,
};
const LETTERS = ['L', 'C', 'M', 'D', 'P'];

interface Documented {
  readonly name: string;
  readonly variable: Variable<unknown>;
  readonly readBy: readonly string[];
}

function declaredBy(read: (env: EnvReader) => unknown): ReadonlyMap<string, Variable<unknown>> {
  const env = new EnvReader({});
  read(env);
  return env.declared;
}

/** Every variable that a process declares, in the order of declaration. */
export function declaredVariables(): Documented[] {
  const all = new Map<string, Documented>();
  for (const [letter, read] of Object.entries(READERS)) {
    for (const [name, variable] of declaredBy(read)) {
      const known = all.get(name) ?? { name, variable, readBy: [] };
      if (known.variable.meaning !== variable.meaning) throw new Error(`${name} has two meanings`);
      all.set(name, { ...known, readBy: [...known.readBy, letter] });
    }
  }
  return [...all.values()];
}

/** The files that list variables, as they are and as they should be. */
export function configurationFiles(): { path: string; current: string; generated: string }[] {
  const engines = [...declaredBy(readEngines).keys()];
  const generators: [string, (text: string) => string][] = [
    [
      'docker-compose.yml',
      (text) =>
        withLines(
          text,
          engines.map((name) => `  ${name}: \${${name}:-}`),
        ),
    ],
    [
      '.env.example',
      (text) =>
        withLines(
          text,
          engines.map((name) => `${name}=`),
        ),
    ],
  ];
  const files = generators.map(([path, generate]) => {
    const current = readFileSync(join(ROOT, path), 'utf8');
    return { path, current, generated: generate(current) };
  });
  return [...referencePages(), ...files];
}

interface Page {
  readonly path: string;
  readonly current: string;
  readonly lines: (string | Table)[];
}

interface Table {
  readonly header: readonly string[];
  /** Names of variables. */
  readonly names: string[];
}

/**
 * The pages with the rows of declared variables. A variable without a row gets one below the variable that is declared before
 * it; rows of variables that are not declared any more are dropped.
 */
function referencePages(): { path: string; current: string; generated: string }[] {
  const declared = new Map(declaredVariables().map((documented) => [documented.name, documented]));
  const pages = readdirSync(join(ROOT, FOLDER)).map((name) => readPage(`${FOLDER}/${name}`));
  const tables = pages.flatMap(({ lines }) => lines.filter((line) => typeof line !== 'string'));
  let previous = { table: tables[0], name: '' };
  for (const name of declared.keys()) {
    let table = tables.find(({ names }) => names.includes(name));
    if (!table) {
      table = previous.table;
      table?.names.splice(table.names.indexOf(previous.name) + 1, 0, name);
    }
    previous = { table, name };
  }
  return pages.map(({ path, current, lines }) => {
    const text = lines.flatMap((line) => (typeof line === 'string' ? [line] : rowsOf(line, declared)));
    return { path, current, generated: text.join('\n') };
  });
}

/** Tables of variables have a column `default`; other tables are text. */
function readPage(path: string): Page {
  const current = readFileSync(join(ROOT, path), 'utf8');
  const lines: Page['lines'] = [];
  for (const line of current.split('\n')) {
    const last = lines.at(-1);
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells[1] === 'variable' && cells.includes('default')) {
      lines.push({ header: cells.slice(1, -1), names: [] });
    } else if (typeof last === 'object' && line.startsWith('|')) {
      if (cells[1]?.startsWith('`')) last.names.push(cells[1].replaceAll('`', ''));
    } else {
      lines.push(line);
    }
  }
  return { path, current, lines };
}

function rowsOf({ header, names }: Table, declared: ReadonlyMap<string, Documented>): string[] {
  const rows = names.flatMap((name) => {
    const documented = declared.get(name);
    return documented ? [header.map((column) => cellOf(column, documented))] : [];
  });
  const widths = header.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(header), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)];
}

/** Any other column has the meaning. */
function cellOf(column: string, { name, variable, readBy }: Documented): string {
  switch (column) {
    case 'variable':
      return `\`${name}\``;
    case 'read by':
      return LETTERS.filter((letter) => readBy.includes(letter)).join(' ');
    case 'default':
      return variable.defaultText;
    case 'bounds':
      return variable.bounds;
    default:
      return variable.meaning;
  }
}

/** Replaces the lines between two markers. */
function withLines(text: string, inside: readonly string[]): string {
  const lines = text.split('\n');
  const [first, end] = ['begin', 'end'].map((which) =>
    lines.findIndex((line) => line.trim() === `# ${which} engines (npm run generate)`),
  );
  if (first === undefined || end === undefined || first < 0 || end < first) throw new Error('no markers');
  return lines.toSpliced(first + 1, end - first - 1, ...inside).join('\n');
}

if (import.meta.main)
  for (const { path, generated } of configurationFiles()) writeFileSync(join(ROOT, path), generated);
