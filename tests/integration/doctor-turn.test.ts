import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IceServer } from '@calls/api-contract';
import { checkRelays, Findings, type Finding } from '@calls/doctor';
import { findFreePort } from '@calls/local-stack';
import { eventually } from '../support/eventually.ts';

const SECRET = 'a secret of the relay';
let coturn: ChildProcess;
let folder: string;
let port: number;

/** coturn, as deploy/ runs it: credentials that end (use-auth-secret). */
beforeAll(async () => {
  port = await findFreePort('127.0.0.1');
  folder = await mkdtemp(join(tmpdir(), 'calls-turn-'));
  const args = [
    ...[
      '-n',
      '--no-tls',
      '--no-dtls',
      '--no-cli',
      '--log-file',
      'stdout',
      '--simple-log',
      '--allow-loopback-peers',
    ],
    ...['--listening-ip', '127.0.0.1', '--relay-ip', '127.0.0.1', '--listening-port', String(port)],
    ...['--realm', 'calls', '--use-auth-secret', '--static-auth-secret', SECRET],
    ...['--userdb', join(folder, 'users'), '--pidfile', join(folder, 'pid')],
  ];
  coturn = spawn('turnserver', args, { stdio: 'ignore', cwd: folder });
  await eventually(async () => {
    const [finding] = await findingsOf([{ urls: [`stun:127.0.0.1:${port}`] }]);
    if (finding?.outcome !== 'ok') throw new Error(finding?.text);
  });
}, 30_000);

afterAll(async () => {
  const ended = new Promise((resolve) => coturn.once('exit', resolve));
  coturn.kill('SIGKILL');
  await ended;
  await rm(folder, { recursive: true });
});

async function findingsOf(iceServers: readonly IceServer[]): Promise<Finding[]> {
  const told: Finding[] = [];
  await checkRelays(iceServers, new Findings((finding) => told.push(finding)));
  return told;
}

function credentials(secret: string): { username: string; credential: string } {
  const username = `${Math.floor(Date.now() / 1000) + 60}:doctor`;
  return { username, credential: createHmac('sha1', secret).update(username).digest('base64') };
}

describe('the doctor, of TURN servers', () => {
  it.each(['', '?transport=tcp'])('gets a relayed address of one that works %s', async (transport) => {
    const urls = [`turn:127.0.0.1:${port}${transport}`];
    expect(await findingsOf([{ urls, ...credentials(SECRET) }])).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        text: expect.stringMatching(/^relays by 127\.0\.0\.1:\d+$/u),
      }),
    ]);
  });

  it('says what is wrong with the others', async () => {
    const closed = await findFreePort('127.0.0.1');
    const told = await findingsOf([
      { urls: [`turn:127.0.0.1:${port}`], ...credentials('another secret') },
      { urls: [`turn:127.0.0.1:${closed}?transport=tcp`], ...credentials(SECRET) },
      { urls: [`turn:127.0.0.1:${port}`] },
      { urls: ['turn://127.0.0.1'] },
    ]);
    expect(told.map(({ outcome }) => outcome)).toEqual(['fault', 'fault', 'fault', 'fault']);
    expect(told.map(({ text }) => text)).toEqual([
      expect.stringContaining('401'),
      expect.stringContaining('ECONNREFUSED'),
      'has no user name and password',
      'is no stun:, turn: or turns: URL',
    ]);
  });

  it('says that none is configured', async () => {
    expect(await findingsOf([])).toEqual([expect.objectContaining({ outcome: 'skipped' })]);
  });
});
