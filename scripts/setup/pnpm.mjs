import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, repository } from './host.mjs';
import { SetupError } from './setup-error.mjs';
import { runStep } from './step.mjs';

/** Prevents pnpm from downloading another version of itself, because this project chooses the version. */
export const PNPM_OPTIONS = ['--config.manage-package-manager-versions=false', '--config.pm-on-fail=ignore'];

const VERSION_LIMIT_MS = 20_000;
const toolsFolder = join(cacheFolder, 'tools');
const ownPnpm = join(toolsFolder, 'node_modules/.bin/pnpm');

/**
 * A pnpm of the major version in package.json: from the cache of this checkout or from PATH, or else installed into the
 * cache.
 */
export async function findPnpm() {
  const { packageManager } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const wanted = /^pnpm@(\d+)\.\d+\.\d+/.exec(packageManager);
  if (!wanted) throw new SetupError(`package.json: packageManager must be pnpm@x.y.z, not ${packageManager}`);
  const [spec, major] = wanted;
  for (const candidate of [ownPnpm, 'pnpm']) {
    if (majorOf(candidate) === major) return candidate;
  }
  mkdirSync(toolsFolder, { recursive: true });
  writeFileSync(join(toolsFolder, 'package.json'), '{ "private": true }\n');
  await runStep({
    title: `installing ${spec} into .cache/tools`,
    log: 'pnpm-tool',
    command: 'npm',
    args: ['install', '--prefix', toolsFolder, '--no-audit', '--no-fund', '--no-save', spec],
  });
  if (!existsSync(ownPnpm)) throw new SetupError(`npm installed no ${ownPnpm}`);
  return ownPnpm;
}

/** Undefined if the program cannot be run. */
function majorOf(pnpm) {
  try {
    const version = execFileSync(pnpm, ['--version'], {
      // Runs outside the repository, because pnpm would obey the repository's packageManager field.
      cwd: '/',
      encoding: 'utf8',
      timeout: VERSION_LIMIT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
      // Prevents a prompt of Corepack before it downloads pnpm.
      env: { ...process.env, COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' },
    });
    return version.trim().split('.')[0];
  } catch {
    return undefined;
  }
}
