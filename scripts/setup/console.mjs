import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode, repository } from './host.mjs';
import { runStep } from './step.mjs';

const DIST = 'services/console/dist';
const stampPath = join(repository, DIST, '.built');
/** What the console is made of. */
const SOURCES = ['services/console', 'packages/client', 'packages/api-client', 'packages/api-contract'];
const FOREIGN = new Set(['node_modules', 'dist', 'dist-types']);
const NOT_BUILT_IN = /\.test\.tsx?$|\.tsbuildinfo$/;

/** Whether the built console is what its sources and libraries make now. */
export function consoleIsCurrent() {
  return existsSync(stampPath) && readFileSync(stampPath, 'utf8') === fingerprint();
}

export async function buildConsole() {
  const before = fingerprint();
  await runStep({
    title: 'building the console',
    log: 'console',
    command: projectNode(),
    args: ['services/console/build.mjs'],
  });
  writeFileSync(stampPath, before);
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const path of ['pnpm-lock.yaml', ...SOURCES.flatMap(filesUnder)]) {
    hash.update(`${path}\n`).update(readFileSync(join(repository, path)));
  }
  return hash.digest('hex');
}

function filesUnder(path) {
  const absolute = join(repository, path);
  if (!existsSync(absolute)) return [];
  if (!statSync(absolute).isDirectory()) return NOT_BUILT_IN.test(path) ? [] : [path];
  return readdirSync(absolute)
    .filter((name) => !FOREIGN.has(name))
    .sort()
    .flatMap((name) => filesUnder(`${path}/${name}`));
}
