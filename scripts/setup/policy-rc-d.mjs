import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const path = '/usr/sbin/policy-rc.d';
const content =
  '#!/bin/sh\n# Put here by this project while it installs packages; removed afterwards.\nexit 101\n';

/**
 * Runs `work` with a policy-rc.d that prevents Debian packages from starting services at installation. An existing
 * policy is not changed.
 */
export async function withoutServiceStarts(work) {
  const present = read();
  if (present !== undefined && present !== content) return work();
  writeFileSync(path, content, { mode: 0o755 });
  const remove = () => rmSync(path, { force: true });
  process.once('exit', remove);
  try {
    return await work();
  } finally {
    remove();
    process.removeListener('exit', remove);
  }
}

function read() {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
