import { mkdtemp, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { findFreePorts } from '@calls/local-stack/free-port';
import { identifyProcess } from '@calls/local-stack/process/process-identity';
import { eventually } from '../support/eventually.ts';
import {
  findLauncherPorts,
  Launcher,
  launcherEnvironment,
  partPids,
  READY_LIMIT_MS,
} from '../support/launcher.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

/** Sets the modification time like an editor that saves, without changing the content. */
async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(join(REPOSITORY, path), now, now);
}

it('npm run dev restarts the services that use a changed file, serves the console with hot reload, and ends on Ctrl-C', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'calls-dev-'));
  const ports = await findLauncherPorts();
  const inspect = await findFreePorts(3);
  const launcher = new Launcher('dev', {
    ...launcherEnvironment(dataDir, ports),
    INSPECT_PORT: String(inspect),
  });
  try {
    await launcher.ready();
    const url = `http://localhost:${ports.api}`;
    const before = await partPids(dataDir);
    expect([...before.keys()].toSorted()).toEqual([
      ...['console', 'control-plane', 'dispatcher', 'media-worker', 'nats', 'postgresql', 'redis'],
    ]);

    const page = await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
    expect(page).toContain('/@vite/client');
    const key = (await readFile(join(dataDir, 'dev-api-key'), 'utf8')).trim();
    const canListVoices = (): Promise<void> =>
      eventually(async () => {
        const reply = await fetch(`${url}/api/voices`, { headers: { 'X-API-Key': key } });
        expect(reply.status).toBe(200);
      }, READY_LIMIT_MS);
    await canListVoices();
    const sdk = await fetch(`${url}/sdk/calls-client.js`);
    expect(await sdk.text()).toContain('CallSession');
    const [, widget = ''] =
      /import\('([^']+)'\)/u.exec(await (await fetch(`${url}/sdk/calls-widget.js`)).text()) ?? [];
    expect(await (await fetch(`${url}${widget}`)).text()).toContain('CallsWidget');
    expect(await (await fetch(`${url}/sdk/calls_api.py`)).text()).toContain('class Client');

    for (const [offset, name] of ['control-plane', 'media-worker', 'dispatcher'].entries()) {
      expect(launcher.output).toContain(`127.0.0.1:${inspect + offset}  ${name}`);
      const targets = await fetch(`http://127.0.0.1:${inspect + offset}/json/list`);
      expect(JSON.stringify(await targets.json())).toContain(`services/${name}/src/main.ts`);
    }

    await touch('services/control-plane/src/main.ts');
    await eventually(
      () => expect(launcher.output).toMatch(/control-plane +ready .* restarted/),
      READY_LIMIT_MS,
    );
    const after = await partPids(dataDir);
    const changed = [...after.keys()].filter((name) => after.get(name) !== before.get(name));
    expect(changed).toEqual(['control-plane']);
    await canListVoices();

    await touch('packages/foundation/src/clock.ts');
    await eventually(() => {
      for (const [name, restarts] of Object.entries({ 'control-plane': 2, 'media-worker': 1, dispatcher: 1 }))
        expect(launcher.output.match(new RegExp(`${name} +ready .* restarted`, 'gu'))).toHaveLength(restarts);
    }, READY_LIMIT_MS);

    const pids = [...(await partPids(dataDir)).values()];
    launcher.pressCtrlC();
    expect(await launcher.ended).toBe(0);
    expect(pids.filter((pid) => identifyProcess(pid) !== undefined)).toEqual([]);
  } finally {
    launcher.child.kill('SIGTERM');
    await launcher.ended;
    await rm(dataDir, { recursive: true, force: true });
  }
});
