import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withSetupLock } from './setup-lock.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'setup-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that holds the lock until it is killed. */
async function startHolder() {
  const script = `
    import { withSetupLock } from ${JSON.stringify(new URL('setup-lock.mjs', import.meta.url).href)};
    await withSetupLock(() => new Promise(() => { setInterval(() => {}, 1000); console.log('locked'); }), {
      folder: ${JSON.stringify(folder)},
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  return holder;
}

describe('the set-up lock', () => {
  it.each([
    ['empty, because the disk was full', ''],
    ['the id of a process that has nothing to do with it', String(process.pid)],
  ])('is free if its file is %s', async (_what, content) => {
    writeFileSync(join(folder, 'setup.flock'), content);
    let ran = false;
    await withSetupLock(() => (ran = true), { folder });
    expect(ran).toBe(true);
  });

  it('is held by one process until it is killed', async () => {
    const holder = await startHolder();
    const order = [];
    const waiting = withSetupLock(() => order.push('ran'), { folder });
    await delay(300);
    order.push('killed');
    holder.kill('SIGKILL');
    await waiting;
    expect(order).toEqual(['killed', 'ran']);
  });

  it('runs the work of this process one after the other', async () => {
    const order = [];
    const work = (name) => async () => {
      order.push(`${name} begins`);
      await delay(50);
      order.push(`${name} ends`);
    };
    await Promise.all(['a', 'b'].map((name) => withSetupLock(work(name), { folder })));
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});
