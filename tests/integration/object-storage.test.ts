import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FileStorage } from '@calls/object-storage/file-storage';
import { describeObjectStorage } from '../support/object-storage-conformance.ts';

const OWN_MOUNTS = ['--map-root-user', '--mount'];
const mayMount = spawnSync('unshare', [...OWN_MOUNTS, 'true']).status === 0;
const itWithMounts = mayMount ? it : it.skip;

let conformanceFolder: string;
describeObjectStorage('FileStorage', {
  create: async () => {
    conformanceFolder = await mkdtemp(join(tmpdir(), 'calls-objects-'));
    return new FileStorage(conformanceFolder);
  },
  dispose: () => rm(conformanceFolder, { recursive: true, force: true }),
});

describe('FileStorage', () => {
  let folder: string;
  let storage: FileStorage;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'calls-objects-'));
    storage = new FileStorage(join(folder, 'objects'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('creates files and folders that only their owner can access', async () => {
    await storage.put('one/two/three.wav', [new Uint8Array(10)]);
    const names = await readdir(folder, { recursive: true });
    expect(names.sort()).toEqual(['objects', 'objects/one', 'objects/one/two', 'objects/one/two/three.wav']);
    const modes = await Promise.all(
      names.map(async (name) => ((await stat(join(folder, name))).mode & 0o777).toString(8)),
    );
    expect(modes).toEqual(['700', '700', '700', '600']);
  });

  it('writes incomplete objects to a hidden file that survives a crash', async () => {
    const writer = await storage.create('live.wav');
    await writer.write(Uint8Array.of(1, 2, 3));
    const [name = ''] = await readdir(join(folder, 'objects'));
    expect(name).toMatch(/^\.live\.wav\..*\.partial$/u);
    expect([...(await readFile(join(folder, 'objects', name)))]).toEqual([1, 2, 3]);
    await writer.abort();
    expect(await readdir(join(folder, 'objects'))).toEqual([]);
  });

  it('reports an invalid folder', async () => {
    await writeFile(join(folder, 'objects'), '');
    await expect(storage.put('a', [])).rejects.toMatchObject({ code: 'storage_failed', retryable: true });
    await expect(storage.check()).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await storage.stat('a')).toBeNull();
  });

  itWithMounts('reports a file system that is nearly full', async () => {
    const program = `
      import { FileStorage } from '${import.meta.resolve('@calls/object-storage/file-storage')}';
      const check = (folder) => new FileStorage(folder).check().then(() => 'ok', ({ code }) => code);
      console.log(await check(process.argv[1] + '/small'), await check(process.argv[1] + '/large'));
    `;
    const mounted = `
      mkdir "$0/small" "$0/large"
      mount -t tmpfs -o size=8m none "$0/small"
      mount -t tmpfs -o size=64m none "$0/large"
      exec "$1" --disable-warning=ExperimentalWarning --input-type=module --eval "$2" "$0"`;
    const { stdout } = await promisify(execFile)('unshare', [
      ...[...OWN_MOUNTS, 'sh', '-ec', mounted],
      ...[folder, process.execPath, program],
    ]);
    expect(stdout.trim()).toBe('storage_full ok');
  });
});
