import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const SCRIPTS = fileURLToPath(new URL('..', import.meta.url));
const OWN_MOUNTS = ['--map-root-user', '--mount'];
const mayMount = spawnSync('unshare', [...OWN_MOUNTS, 'true']).status === 0;
const itWithMounts = mayMount ? it : it.skip;
const LOCKED = {
  'apt-get': 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 61 (apt-get)',
  dpkg: 'dpkg: error: dpkg frontend lock was locked by another process with pid 61',
};
const INSTALL = `
case "$*" in *--no-install-recommends*)
  for name in flatbuffers/flatbuffers srtp2/srtp openssl/ssl uv; do
    mkdir -p "$(dirname "/usr/include/$name")"
    touch "/usr/include/$name.h"
  done
esac`;

let checkout;

/** A checkout with these scripts, and with programs that replace apt-get and dpkg. */
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'calls checkout '));
  cpSync(SCRIPTS, join(checkout, 'scripts'), { recursive: true });
  mkdirSync(join(checkout, 'bin'));
  for (const name of ['g++', 'make', 'flatc', 'dpkg']) giveProgram(name, '');
  giveProgram('apt-get', INSTALL);
});
afterEach(() => rmSync(checkout, { recursive: true }));

/** Adds a program that logs its name and then runs `commands`. */
function giveProgram(name, commands) {
  const script = `#!/bin/sh\necho ${name} >> "${calls()}"\n${commands}\n`;
  writeFileSync(join(checkout, 'bin', name), script, { mode: 0o755 });
}

function calls() {
  return join(checkout, 'calls');
}

/** The output of `runs` installations at the same time, on a machine without the packages, with German messages. */
function install(runs = 1) {
  const program = `
    import { installDebianPackages } from './scripts/setup/debian-packages.mjs';
    await installDebianPackages(['webrtc-build']).catch((error) => console.log(error.message));`;
  const hide =
    'for folder in /usr/include /usr/sbin /run; do mount -t tmpfs none $folder; done; mkdir /run/lock;';
  const command = `${hide} ${'"$0" --input-type=module --eval "$1" & '.repeat(runs)} wait`;
  const { stdout, stderr } = spawnSync(
    'unshare',
    [...OWN_MOUNTS, 'sh', '-ec', command, process.execPath, program],
    {
      cwd: checkout,
      env: { PATH: `${join(checkout, 'bin')}:${process.env.PATH}`, LC_ALL: 'de_DE.UTF-8' },
      encoding: 'utf8',
    },
  );
  return stdout + stderr;
}

describe('installing Debian packages', () => {
  itWithMounts.each(Object.entries(LOCKED))(
    'waits while another program holds the lock of %s',
    (name, message) => {
      const failOnce = `
        if ! [ -e "$0.failed" ]; then
          touch "$0.failed"
          if [ "$LC_ALL" = C ]; then echo '${message}'; else echo 'Sperre nicht erhalten'; fi
          exit 1
        fi`;
      giveProgram(name, failOnce + (name === 'apt-get' ? INSTALL : ''));
      const output = install();
      expect(output).toContain('another program uses apt or dpkg; waiting for it');
      expect(output).toMatch(/ installing .*: done in [\d.]+ s\n$/u);
    },
  );

  itWithMounts('runs once if two checkouts start it at the same time', () => {
    // The first installation lasts until the second one has opened the lock.
    const opened = '$(ls -l /proc/*/fd 2>/dev/null | grep -c /run/lock/calls/setup.flock)';
    giveProgram('dpkg', `for i in $(seq 100); do [ "${opened}" -ge 2 ] && break; sleep 0.1; done`);
    expect(install(2)).toContain('another set-up that installs Debian packages is running; waiting for it');
    expect(readFileSync(calls(), 'utf8')).toBe('dpkg\napt-get\napt-get\n');
  });
});
