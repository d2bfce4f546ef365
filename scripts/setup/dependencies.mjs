import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './host.mjs';
import { findPnpm, PNPM_OPTIONS } from './pnpm.mjs';
import { runStep } from './step.mjs';

const stampPath = join(repository, 'node_modules/.set-up');

/** Whether pnpm created node_modules from the current manifests and lockfile. */
export function dependenciesAreCurrent() {
  return existsSync(stampPath) && readFileSync(stampPath, 'utf8') === fingerprint();
}

export async function installDependencies() {
  const before = fingerprint();
  const pnpm = await findPnpm();
  // If this run is interrupted, node_modules is not current for any manifests.
  rmSync(stampPath, { force: true });
  await runStep({
    title: 'installing dependencies (pnpm)',
    log: 'pnpm-install',
    command: pnpm,
    // Replaces node_modules without confirmation.
    args: ['install', '--frozen-lockfile', '--config.confirm-modules-purge=false', ...PNPM_OPTIONS],
  });
  writeFileSync(stampPath, before);
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const path of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests()]) {
    hash.update(`${path}\n`).update(readFileSync(join(repository, path)));
  }
  return hash.digest('hex');
}

function manifests() {
  const members = ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(repository, folder))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  return ['.', ...members, 'examples', 'tests']
    .map((member) => join(member, 'package.json'))
    .filter((path) => existsSync(join(repository, path)));
}
