import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/** Environment variable with the folder of the bundles, for test processes. */
const FOLDER = 'CALLS_TEST_SERVICES';
const ROOT = join(import.meta.dirname, '../..');
const BUILDS = join(ROOT, '.cache/services');
const ENTRIES = [
  'services/control-plane/src/main.ts',
  'services/control-plane/src/prepare-database.ts',
  'services/dispatcher/src/main.ts',
  'services/media-worker/src/main.ts',
  'packages/doctor/src/main.ts',
  'packages/testkit/src/ai-stand-in/main.ts',
  'tests/support/mcp-server/main.ts',
  'tests/support/stt-stand-in/main.ts',
  'tests/support/telephony/main.ts',
  'tests/support/tool-server/main.ts',
  'tests/support/tts-stand-ins/main.ts',
];
const SOURCES = [
  'pnpm-lock.yaml',
  '{packages,services}/**/*.{ts,json}',
  'tests/support/{mcp-server,stt-stand-in,telephony,tool-server,tts-stand-ins}/**/*.ts',
  'tests/support/*.ts',
];
const NOT_SOURCES = ['**/node_modules', '**/dist', '**/*.test.ts', 'services/{console,docs-site}/**'];
/** Packages that compute the paths of native addons and protocol schemas. */
const NOT_BUNDLED = /^(?:onnxruntime-node|sherpa-onnx(?:-node)?|@grpc\/.*)$/u;
/** URL of a module that runs in its own process or thread. */
const ENTRY_URL = /new URL\('(\.{1,2}\/[^']+\.ts)', import\.meta\.url\)/gu;
/** Maximum number of builds that are stored. Test runs that began before a source changed still use the old ones. */
const MAX_BUILDS = 10;

/**
 * Returns the file to run for a module of a service: its bundle, or the source if there are no bundles. `module`: path
 * in the repository.
 */
export function serviceModule(module: string): string {
  const folder = process.env[FOLDER];
  return folder === undefined ? join(ROOT, module) : join(folder, `${nameOf(module)}.mjs`);
}

/** Node.js compile cache for service processes. The cache of bundles is deleted with the bundles. */
export function serviceCompileCache(): string | undefined {
  const folder = process.env[FOLDER];
  return folder === undefined ? process.env['NODE_COMPILE_CACHE'] : join(folder, 'compile-cache');
}

/**
 * Bundles services and stand-ins with their libraries for all tests of a run. Loading a bundle takes a third of the CPU
 * time of loading a thousand modules. Bundles are reused until a source changes.
 */
export async function buildServices(): Promise<void> {
  const folder = join(BUILDS, fingerprint());
  if (!existsSync(folder)) await build(folder);
  process.env[FOLDER] = folder;
}

async function build(folder: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  await mkdir(BUILDS, { recursive: true });
  await removeOldBuilds();
  const unfinished = await mkdtemp(join(BUILDS, 'unfinished-'));
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(ENTRIES.map((module) => [nameOf(module), join(ROOT, module)])),
    platform: 'node',
    plugins: [inPlaceOfSources(folder)],
  });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
  await bundle.write({ dir: unfinished, format: 'esm', ...names });
  await bundle.close();
  try {
    await rename(unfinished, folder);
  } catch (error) {
    // Another run has built the same bundles.
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

async function removeOldBuilds(): Promise<void> {
  const folders = (await readdir(BUILDS)).map((name) => join(BUILDS, name));
  // Another run may rename or remove a folder meanwhile.
  const builds = folders.map((path) => ({
    path,
    changedMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  const old = builds.sort((a, b) => b.changedMs - a.changedMs).slice(MAX_BUILDS);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}

/**
 * Makes `import.meta` and `__dirname` refer to the source of a module, and URLs of threads and processes to bundles in
 * `folder`.
 */
function inPlaceOfSources(folder: string): Plugin {
  return {
    name: 'in-place-of-sources',
    async resolveId(source, importer, options) {
      if (!NOT_BUNDLED.test(source)) return null;
      const found = await this.resolve(source, importer, options);
      return found && { id: found.id, external: 'absolute' };
    },
    transform(code, id) {
      if (!id.startsWith('/') || !/import\.meta|__dirname|__filename/u.test(code)) return null;
      return code
        .replaceAll(ENTRY_URL, (_text, path: string) => {
          const module = join(dirname(id), path);
          const fileName = `${nameOf(module)}.mjs`;
          this.emitFile({ type: 'chunk', id: module, fileName });
          return `new URL(${JSON.stringify(pathToFileURL(join(folder, fileName)).href)})`;
        })
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll(/import\.meta\.dirname|\b__dirname\b/gu, JSON.stringify(dirname(id)))
        .replaceAll(/\b__filename\b/gu, JSON.stringify(id));
    },
  };
}

function nameOf(module: string): string {
  return (module.startsWith('/') ? relative(ROOT, module) : module).replace(/\.ts$/u, '');
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const path of globSync(SOURCES, { cwd: ROOT, exclude: NOT_SOURCES }).sort())
    hash.update(`${path}\n`).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}
