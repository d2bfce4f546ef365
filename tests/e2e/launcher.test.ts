import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '@calls/local-stack/process/process-identity';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import { eventually } from '../support/eventually.ts';
import {
  findLauncherPorts,
  Launcher,
  launcherEnvironment,
  partPids,
  type LauncherPorts,
  READY_LIMIT_MS,
} from '../support/launcher.ts';

const run = promisify(execFile);
const itInLongForm = IS_LONG_FORM ? it : it.skip;
const STOP_LIMIT_MS = 60_000;
const PARTS = ['postgresql', 'redis', 'nats', 'database', 'media-worker', 'control-plane', 'dispatcher'];

let dataDir: string;
let ports: LauncherPorts;
let launchers: Launcher[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'calls-launcher-'));
  ports = await findLauncherPorts();
  launchers = [];
});
afterEach(async () => {
  for (const launcher of launchers) {
    launcher.child.kill('SIGTERM');
    await launcher.ended;
  }
  await rm(dataDir, { recursive: true, force: true });
});

function launch(folder = dataDir, onPorts = ports): Launcher {
  const launcher = new Launcher('start', launcherEnvironment(folder, onPorts));
  launchers.push(launcher);
  return launcher;
}

async function listVoices(onPorts: LauncherPorts, folder: string): Promise<number> {
  const key = (await readFile(join(folder, 'dev-api-key'), 'utf8')).trim();
  const reply = await fetch(`http://localhost:${onPorts.api}/api/voices`, { headers: { 'X-API-Key': key } });
  return reply.status;
}

const noneAlive = (pids: readonly number[]): void => {
  expect(pids.filter((pid) => identifyProcess(pid) !== undefined)).toEqual([]);
};

/** All tests share one start; the last test stops it. */
describe('npm start, once ready', () => {
  let folder: string;
  let runningPorts: LauncherPorts;
  let launcher: Launcher;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'calls launcher-'));
    runningPorts = await findLauncherPorts();
    launcher = new Launcher('start', launcherEnvironment(folder, runningPorts));
    await launcher.ready();
  });
  afterAll(async () => {
    launcher.child.kill('SIGTERM');
    await launcher.ended;
    await rm(folder, { recursive: true, force: true });
  });

  it('has started every service and printed a valid key', async () => {
    for (const part of PARTS)
      expect(launcher.output).toMatch(new RegExp(`^ {2}${part} +ready +\\d+\\.\\d s`, 'm'));
    expect(launcher.output).toMatch(/^ {2}database .* migrated$/m);
    expect(launcher.output).toContain(`http://localhost:${runningPorts.api}/api`);
    expect(launcher.output).toContain(join(folder, 'dev-api-key'));
    expect(launcher.output).toContain(`PORT=${runningPorts.api} DATA_DIR='${folder}' npm run example:call`);
    expect(launcher.output).toMatch(/svc-v0\.7 maps to it until .*LLM_BASE_URL is set/);
    expect((await stat(join(folder, 'dev-api-key'))).mode & 0o777).toBe(0o600);
    expect(await listVoices(runningPorts, folder)).toBe(200);
  });

  it('serves the admin API to `npm run admin`, with the token in a file', async () => {
    const file = join(folder, 'secrets/admin-token');
    expect(launcher.output).toContain(`http://127.0.0.1:${runningPorts.admin}, token in ${file}`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const env = { ...process.env, DATA_DIR: folder, ADMIN_PORT: String(runningPorts.admin) };
    const { stdout } = await run('node', ['scripts/run.mjs', 'admin', 'accounts', 'list'], { env });
    expect(stdout).toMatch(/ development +SCALE +active /u);
  });

  it('rejects a second launcher with the same data directory', async () => {
    const second = launch(folder, await findLauncherPorts());
    expect(await second.ended).toBe(1);
    expect(second.output).toMatch(/is in use by a running launcher \(pid \d+\)/);
  });

  it('restarts a service that dies and reports it', async () => {
    const pid = (await partPids(folder)).get('control-plane');
    if (pid === undefined) throw new Error('the control-plane has no run file');
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(launcher.output).toMatch(/control-plane +is back/), READY_LIMIT_MS);
    expect(launcher.output).toMatch(/control-plane +ended \(SIGKILL\); restart 1 of 5/);
    await eventually(async () => expect(await listVoices(runningPorts, folder)).toBe(200));
  });

  it('stops all processes on Ctrl-C', async () => {
    const pids = [...(await partPids(folder)).values()];
    expect(pids).toHaveLength(6);
    launcher.pressCtrlC();
    expect(await launcher.ended).toBe(0);
    expect(launcher.output).toMatch(/stopped\n$/);
    noneAlive(pids);
    expect((await partPids(folder)).size).toBe(0);
  });
});

describe('npm start', () => {
  itInLongForm('starts again with the same key, and runs beside another copy', async () => {
    const first = launch();
    await first.ready();
    const key = await readFile(join(dataDir, 'dev-api-key'), 'utf8');
    first.pressCtrlC();
    await first.ended;

    const again = launch();
    const otherDir = join(dataDir, 'other');
    const otherPorts = await findLauncherPorts();
    await again.ready();
    expect(again.output).toMatch(/^ {2}database .* up to date$/m);
    const other = launch(otherDir, otherPorts);
    await other.ready();
    expect(await readFile(join(dataDir, 'dev-api-key'), 'utf8')).toBe(key);
    expect(await readFile(join(otherDir, 'dev-api-key'), 'utf8')).not.toBe(key);
    expect(await listVoices(ports, dataDir)).toBe(200);
    expect(await listVoices(otherPorts, otherDir)).toBe(200);
  });

  itInLongForm('stops all processes when it is killed, and starts again', async () => {
    const launcher = launch();
    await launcher.ready();
    const pids = [...(await partPids(dataDir)).values()];
    expect(pids).toHaveLength(6);
    process.kill(-(launcher.child.pid ?? 0), 'SIGKILL');
    await eventually(() => noneAlive(pids), STOP_LIMIT_MS);
    const next = launch();
    await next.ready();
    expect(await listVoices(ports, dataDir)).toBe(200);
  });

  itInLongForm('stops on Ctrl-C at any time during its start', async () => {
    for (const afterMs of [100, 300, 600, 1_000, 1_500]) {
      const launcher = launch();
      await eventually(() => expect(launcher.output).toContain('starting'));
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      const pids = [...(await partPids(dataDir)).values()];
      launcher.pressCtrlC();
      await launcher.ended;
      noneAlive(pids);
      expect((await partPids(dataDir)).size).toBe(0);
    }
  });

  itInLongForm('stops and names the log file when a server ends again and again', async () => {
    const launcher = launch();
    await launcher.ready();
    let killed: number | undefined;
    while (launcher.child.exitCode === null) {
      const pid = (await partPids(dataDir)).get('redis');
      if (pid !== undefined && pid !== killed) process.kill((killed = pid), 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await launcher.ended).toBe(1);
    expect(launcher.output).toContain('given up after 5 restarts');
    expect(launcher.output).toMatch(/stopped; see the end of .*\/logs\/redis\.log, .*\n$/u);
  });

  it('reports a port in use, its variable and its owner without starting anything', async () => {
    const taken = createServer().listen(ports.media);
    await once(taken, 'listening');
    try {
      const launcher = launch();
      expect(await launcher.ended).toBe(1);
      expect(launcher.output).toContain(
        `port ${ports.media} (MEDIA_PORT) is taken by process ${process.pid} (`,
      );
      expect(launcher.output).not.toContain('postgresql');
    } finally {
      taken.close();
    }
  });

  it('reports every invalid configuration value', async () => {
    const launcher = new Launcher('start', { DATA_DIR: dataDir, PORT: 'http', REDIS_URL: 'localhost:6379' });
    launchers.push(launcher);
    expect(await launcher.ended).toBe(1);
    expect(launcher.output).toMatch(/PORT must be a whole number/);
    expect(launcher.output).toMatch(/REDIS_URL must be a URL/);
  });
});
