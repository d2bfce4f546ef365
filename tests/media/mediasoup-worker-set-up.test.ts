import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mediasoupWorkerBinary } from '../support/mediasoup-worker.ts';

const run = promisify(execFile);
const MODULE = join(import.meta.dirname, '../../scripts/setup/mediasoup-worker/worker-environment.mjs');

describe('mediasoup worker setup', () => {
  let folder: string;
  let releases: Server;
  /** Content of the release page. */
  let archive: Buffer | undefined;
  let requests: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'worker-set-up-'));
    archive = undefined;
    requests = [];
    releases = createServer(({ url = '' }, response) => {
      requests.push(url);
      response.writeHead(archive === undefined ? 404 : 200).end(archive);
    });
    await once(releases.listen(0, '127.0.0.1'), 'listening');
    // Nothing can be installed or compiled on this machine.
    await mkdir(join(folder, 'bin'));
    for (const name of ['make', 'apt-get', 'dpkg'])
      await writeFile(join(folder, 'bin', name), `#!/bin/sh\necho ${name} >> ${attempts()}\nexit 1\n`, {
        mode: 0o755,
      });
    await writeFile(attempts(), '');
  });

  afterEach(async () => {
    releases.close();
    await rm(folder, { recursive: true });
  });

  const attempts = (): string => join(folder, 'attempts');

  /** Runs the setup in its own process and returns the environment for the services. */
  async function setUp(options: { retry?: boolean; env?: Record<string, string> } = {}) {
    const { retry = false, env = {} } = options;
    const { port } = releases.address() as AddressInfo;
    const script = `import { workerEnvironment } from ${JSON.stringify(MODULE)};
      console.log(JSON.stringify(await workerEnvironment({ retry: ${retry} })));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      env: {
        HOME: folder,
        PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
        MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL: `http://127.0.0.1:${port}`,
        ...env,
      },
    });
    return {
      environment: JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, string>,
      stdout,
    };
  }

  async function release(binary: string): Promise<void> {
    await cp(binary, join(folder, 'mediasoup-worker'));
    await run('tar', ['-C', folder, '-czf', join(folder, 'release.tgz'), 'mediasoup-worker']);
    archive = await readFile(join(folder, 'release.tgz'));
  }

  it('downloads the prebuilt binary once for concurrent requests and caches it', async () => {
    await release(mediasoupWorkerBinary());
    const [{ environment }, other] = await Promise.all([setUp(), setUp()]);
    expect(other.environment).toEqual(environment);
    const binary = environment['MEDIASOUP_WORKER_BIN'] ?? '';
    expect(binary.startsWith(join(folder, '.cache/calls/mediasoup-worker/'))).toBe(true);
    expect(spawnSync(binary, { env: {} }).status).toBe(41);
    expect(requests).toEqual([expect.stringMatching(/^\/[\d.]+\/mediasoup-worker-[\d.]+-linux-.*\.tgz$/u)]);
    expect((await setUp()).environment).toEqual(environment);
    expect(requests).toHaveLength(1);
  });

  it('continues without WebRTC when download and build fail and retries only on request', async () => {
    await writeFile(join(folder, 'broken'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await release(join(folder, 'broken'));
    const { environment, stdout } = await setUp();
    expect(environment).toEqual({ WEBRTC_UNAVAILABLE: expect.stringContaining("mediasoup's worker could ") });
    expect(stdout).toContain('.cache/logs/');
    expect(stdout).toContain('No WebRTC calls; everything else works');
    const tried = await readFile(attempts(), 'utf8');
    expect(tried).not.toBe('');

    expect((await setUp()).environment).toEqual(environment);
    expect(await readFile(attempts(), 'utf8')).toBe(tried);
    expect(requests).toHaveLength(1);

    await release(mediasoupWorkerBinary());
    expect(Object.keys((await setUp({ retry: true })).environment)).toEqual(['MEDIASOUP_WORKER_BIN']);
  });

  it('uses a configured binary that runs', async () => {
    const given = mediasoupWorkerBinary();
    const env = { MEDIASOUP_WORKER_BIN: given };
    expect((await setUp({ env })).environment).toEqual(env);
    const refused = setUp({ env: { MEDIASOUP_WORKER_BIN: join(dirname(given), 'libraries') } });
    await expect(refused).rejects.toThrow('is not a mediasoup worker that runs on this machine');
    expect(requests).toEqual([]);
  });
});
