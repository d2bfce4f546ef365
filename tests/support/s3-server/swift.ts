import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePorts } from '@calls/local-stack/free-port';
import { eventually } from '../eventually.ts';
import { BUCKET, s3Settings, type S3Settings } from './s3-server.ts';

const run = promisify(execFile);
const HOST = '127.0.0.1';
const USER = 'tests';
const PASSWORD = 'a-password-of-Swift';

/** The storage servers of OpenStack Swift, by the type of their ring. */
const STORES = ['account', 'container', 'object'] as const;

export type Swift = S3Settings & AsyncDisposable;

/**
 * OpenStack Swift of Debian with an empty bucket, accessed by its S3 API. Runs one process of each server with one copy
 * of each object, in a folder whose file system supports extended attributes.
 */
export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(join(tmpdir(), 'calls-swift-'));
  const first = await findFreePorts(STORES.length + 2);
  const [proxyPort, cachePort] = [first + STORES.length, first + STORES.length + 1];
  await mkdir(join(folder, 'disks/one'), { recursive: true });
  await writeFile(join(folder, 'swift.conf'), SWIFT_CONF);
  await writeFile(join(folder, 'proxy.conf'), proxyConf(folder, proxyPort, cachePort));
  for (const [index, kind] of STORES.entries())
    await writeFile(join(folder, `${kind}.conf`), storeConf(folder, kind, first + index));
  await run('/usr/bin/python3', ['-c', WRITE_RINGS, folder, HOST, String(first), ...STORES]);
  const children = [
    start('memcached', ['-u', 'root', '-l', HOST, '-p', String(cachePort)]),
    ...[...STORES, 'proxy'].map((kind) => start(`swift-${kind}-server`, [join(folder, `${kind}.conf`)])),
  ];
  const endpoint = `http://${HOST}:${proxyPort}`;
  await eventually(() => createBucket(endpoint));
  return {
    ...s3Settings(endpoint, { accessKeyId: `calls:${USER}`, secretAccessKey: PASSWORD }),
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map(stop));
      await rm(folder, { recursive: true });
    },
  };
}

/** Creates a container in Swift, which is a bucket in its S3 API. */
async function createBucket(endpoint: string): Promise<void> {
  const login = { 'X-Auth-User': `calls:${USER}`, 'X-Auth-Key': PASSWORD };
  const { headers } = await fetch(`${endpoint}/auth/v1.0`, { headers: login });
  const request = { method: 'PUT', headers: { 'X-Auth-Token': headers.get('X-Auth-Token') ?? '' } };
  const { status } = await fetch(`${endpoint}/v1/AUTH_calls/${BUCKET}`, request);
  if (status >= 300) throw new Error(`Swift refused to create a container: ${status}`);
}

function start(program: string, args: string[]): ChildProcess {
  return spawn(program, args, { stdio: 'ignore' });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/**
 * Writes the rings: the location of the single disk of each type. One process instead of nine runs of swift-ring-
 * builder.
 */
const WRITE_RINGS = `
import sys
from swift.common.ring import RingBuilder
folder, host, first, *kinds = sys.argv[1:]
for index, kind in enumerate(kinds):
    builder = RingBuilder(1, 1, 1)
    place = {'region': 1, 'zone': 1, 'ip': host, 'port': int(first) + index}
    builder.add_dev({'id': 0, 'device': 'one', 'weight': 1, 'meta': '', **place})
    builder.rebalance()
    builder.get_ring().save(f'{folder}/{kind}.ring.gz')
`;

const SWIFT_CONF = `[swift-hash]
swift_hash_path_suffix = calls
[storage-policy:0]
name = one-copy
default = yes
`;

function commonConf(folder: string, port: number): string {
  return `[DEFAULT]
bind_ip = ${HOST}
bind_port = ${port}
workers = 0
swift_dir = ${folder}
user = root
`;
}

function storeConf(folder: string, kind: string, port: number): string {
  return `${commonConf(folder, port)}devices = ${folder}/disks
mount_check = false
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
recon_cache_path = ${folder}
`;
}

function proxyConf(folder: string, port: number, cachePort: number): string {
  const plain = ['catch_errors', 'gatekeeper', 's3api', 'copy', 'bulk', 'slo', 'dlo'];
  return `${commonConf(folder, port)}[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api auth copy bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = ${HOST}:${cachePort}
[filter:auth]
use = egg:swift#tempauth
user_calls_${USER} = ${PASSWORD} .admin
${plain.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join('')}`;
}
