import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../setup/host.mjs';
import { findPnpm, PNPM_OPTIONS } from '../setup/pnpm.mjs';

/** The packages for npm. */
export const PUBLISHED = ['client', 'api-client'];

/** Builds and packs them into `folder`; resolves to the tarballs by package folder. */
export async function packPublished(node, folder) {
  const pnpm = await findPnpm();
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const packed = await Promise.all(
    PUBLISHED.map(async (name) => {
      const cwd = join(repository, 'packages', name);
      await promisify(execFile)(pnpm, ['pack', '--pack-destination', folder, ...PNPM_OPTIONS], { cwd, env });
      const { version } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
      return [name, join(folder, `calls-${name}-${version}.tgz`)];
    }),
  );
  return Object.fromEntries(packed);
}

/** Writes the tarballs to `.cache/release/`, ready for `pnpm publish <tarball>`. */
export async function pack(node) {
  const folder = join(repository, '.cache/release');
  for (const tarball of Object.values(await packPublished(node, folder))) console.log(tarball);
  return 0;
}
