import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { spawnTracked } from '../setup/child-processes.mjs';
import { repository } from '../setup/host.mjs';
import { findPnpm, PNPM_OPTIONS } from '../setup/pnpm.mjs';
import { SetupError } from '../setup/setup-error.mjs';

const folder = join(repository, '.cache/release');
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Writes a CycloneDX list of the npm packages in the image; resolves to its path. */
export async function writeSbom(path) {
  const services = ['--filter', '{services/*}...', '--filter', '!@calls/console'];
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--prod', '--lockfile-only'];
  await promisify(execFile)(
    await findPnpm(),
    ['sbom', ...format, ...services, '--out', path, ...PNPM_OPTIONS],
    {
      cwd: repository,
    },
  );
  return path;
}

/** The base image: NODE_IMAGE, or else the Dockerfile's default. */
export async function baseImage(env) {
  const dockerfile = await readFile(join(repository, 'deploy/Dockerfile'), 'utf8');
  return env.NODE_IMAGE || /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)[1];
}

/**
 * The reference with a digest, so that every stage, and a later build of the same version, starts from the same image.
 * `lookUp` resolves to the digest that the registry has for a tag.
 */
export async function pinned(reference, lookUp) {
  if (DIGEST.test(reference.split('@')[1] ?? '')) return reference;
  if (reference.includes('@')) throw new SetupError(`NODE_IMAGE has an invalid digest: ${reference}`);
  const digest = await lookUp(reference);
  if (!DIGEST.test(digest)) throw new SetupError(`the registry has no digest for ${reference}: "${digest}"`);
  return `${reference}@${digest}`;
}

/** The build command for an image that is pushed with its SBOM and provenance attached. */
export function buildArguments({ image, base, version, revision, metadataFile }) {
  return [
    ...['buildx', 'build', '--file', 'deploy/Dockerfile'],
    ...['--build-arg', `NODE_IMAGE=${base}`],
    ...['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`],
    ...['--tag', `${image}:${version}`, '--tag', `${image}:${revision}`],
    ...['--sbom=true', '--provenance=mode=max', '--metadata-file', metadataFile, '--push', '.'],
  ];
}

async function digestInRegistry(reference) {
  const inspect = ['buildx', 'imagetools', 'inspect', reference, '--format', '{{json .Manifest}}'];
  const { stdout } = await promisify(execFile)('docker', inspect);
  return JSON.parse(stdout).digest ?? '';
}

/**
 * `npm run release:image -- registry.example.com/calls`: builds the image of the released version on a base pinned by
 * digest, pushes it with its SBOM, and prints its digest. Needs Docker with buildx. Resolves to the exit code.
 */
export async function releaseImage(_node, [image]) {
  if (!image) throw new SetupError('usage: npm run release:image -- <registry>/<name>');
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  const git = async (...args) => (await promisify(execFile)('git', args, { cwd: repository })).stdout.trim();
  const revision = await git('rev-parse', 'HEAD');
  if ((await git('tag', '--points-at', 'HEAD', '--list', `v${version}`)) === '') {
    throw new SetupError(`HEAD is not tagged v${version}: run npm run release first`);
  }
  await mkdir(folder, { recursive: true });
  console.log(`npm packages: ${await writeSbom(join(folder, `calls-${version}.cdx.json`))}`);
  const base = await pinned(await baseImage(process.env), digestInRegistry);
  console.log(`base image: ${base}`);
  const metadataFile = join(folder, `calls-${version}.image.json`);
  const build = buildArguments({ image, base, version, revision, metadataFile });
  const { exitCode } = spawnTracked('docker', build, { cwd: repository, stdio: 'inherit' });
  const code = await exitCode;
  if (code !== 0) return code;
  const { 'containerimage.digest': digest } = JSON.parse(await readFile(metadataFile, 'utf8'));
  console.log(`${image}:${version}@${digest}`);
  return 0;
}
