import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const SCRIPTS = fileURLToPath(new URL('..', import.meta.url));
const STAMP = 'node_modules/.set-up';
const OWN_MOUNTS = ['--map-root-user', '--mount'];
const mayMount = spawnSync('unshare', [...OWN_MOUNTS, 'true']).status === 0;
const itWithMounts = mayMount ? it : it.skip;

let checkout;

/** A checkout with these scripts, without packages, and with a `pnpm` that runs `install` in the shell. */
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'calls checkout '));
  cpSync(SCRIPTS, join(checkout, 'scripts'), { recursive: true });
  for (const folder of ['packages', 'services', 'node_modules', '.cache', 'bin'])
    mkdirSync(join(checkout, folder));
  writeFileSync(join(checkout, 'package.json'), '{ "packageManager": "pnpm@12.0.0" }');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) writeFileSync(join(checkout, file), '');
});
afterEach(() => rmSync(checkout, { recursive: true }));

function givePnpm(install) {
  const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo 12.0.0; else ${install}; fi\n`;
  writeFileSync(join(checkout, 'bin/pnpm'), script, { mode: 0o755 });
}

/** The output of the installation, which runs after the shell command `before` and in namespaces of its own. */
function setUp(before = '', namespaces = []) {
  const program = `
    import { installDependencies } from './scripts/setup/dependencies.mjs';
    await installDependencies().catch((error) => console.log(error.constructor.name + ': ' + error.message));`;
  const command = `${before} exec "$0" --input-type=module --eval "$1"`;
  const { stdout, stderr } = spawnSync(
    'unshare',
    [...namespaces, 'sh', '-ec', command, process.execPath, program],
    {
      cwd: checkout,
      env: { PATH: `${join(checkout, 'bin')}:${process.env.PATH}` },
      encoding: 'utf8',
    },
  );
  return stdout + stderr;
}

describe('installing the dependencies', () => {
  it('reports an interruption as such', () => {
    givePnpm('kill -TERM $PPID; sleep 10');
    expect(setUp()).toMatch(
      /installing dependencies \(pnpm\): interrupted in .*\nSetupError: interrupted\n/u,
    );
  });

  it('leaves no stamp of an earlier installation when it fails', () => {
    givePnpm('exit 0');
    expect(setUp()).toContain('done');
    const before = readFileSync(join(checkout, STAMP), 'utf8');
    expect(before).toMatch(/^[0-9a-f]{64}$/u);
    givePnpm('kill -9 $$');
    expect(setUp()).toContain('installing dependencies (pnpm) failed (code 1); the end of');
    expect(existsSync(join(checkout, STAMP))).toBe(false);
  });

  it('fails with the name of a log file that cannot be written', () => {
    givePnpm('exit 0');
    writeFileSync(join(checkout, '.cache/logs'), '');
    expect(setUp()).toBe(
      `SetupError: installing dependencies (pnpm): the log cannot be written: EEXIST: file already exists, ` +
        `mkdir '${join(checkout, '.cache/logs')}'\n`,
    );
  });

  itWithMounts('reports a full disk, on which the end of the output is lost', () => {
    givePnpm('cat /dev/zero > .cache/data; echo no space left; exit 1');
    expect(setUp('mount -t tmpfs -o size=64k none .cache;', OWN_MOUNTS)).toContain(
      `failed (code 1), and the disk of ${join(checkout, '.cache')} is full; the end of`,
    );
  });
});
