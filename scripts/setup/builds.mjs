import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectNode, repository } from './host.mjs';
import { runStep } from './step.mjs';

const FOREIGN = new Set(['node_modules', 'dist', 'dist-types']);
const NOT_BUILT_IN = /\.test\.tsx?$/;
const COMMON_SOURCES = ['pnpm-lock.yaml', 'scripts/precompress.mjs'];

/** Builds of this repository, by the name that commands list in `needs`. */
export const builds = {
  console: build({
    title: 'building the console',
    service: 'services/console',
    sources: ['packages/client', 'packages/api-client', 'packages/api-contract'],
  }),
  'docs-site': build({
    title: 'building the documentation site',
    service: 'services/docs-site',
    sources: ['docs'],
  }),
};

/** The build of a service whose `build.mjs` writes `dist`; current while its sources and libraries are unchanged. */
function build({ title, service, sources }) {
  const stampPath = join(repository, service, 'dist/.built');
  const fingerprint = () => fingerprintOf([...COMMON_SOURCES, service, ...sources]);
  return {
    isCurrent: () => existsSync(stampPath) && readFileSync(stampPath, 'utf8') === fingerprint(),
    run: async () => {
      const before = fingerprint();
      const args = [`${service}/build.mjs`];
      await runStep({ title, log: service.replace('services/', ''), command: projectNode(), args });
      writeFileSync(stampPath, before);
    },
  };
}

function fingerprintOf(sources) {
  const hash = createHash('sha256');
  for (const path of sources.flatMap(filesUnder)) {
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
