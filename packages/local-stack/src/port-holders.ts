import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { shortened } from '@calls/foundation/shortened';

export type PortProtocol = 'tcp' | 'udp';

/** A socket of this network namespace. */
interface BoundSocket {
  readonly inode: string;
  readonly uid: number;
}

const LISTENING = '0A';
const MAX_SHOWN = 3;
const MAX_COMMAND_LENGTH = 120;

/** Describes for the user which processes have the port, from Linux's /proc. */
export function describePortHolders(port: number, protocols: readonly PortProtocol[]): string {
  const sockets = protocols.flatMap((protocol) => boundSockets(port, protocol));
  if (sockets.length === 0) return 'another program';
  const inodes = new Set(sockets.map(({ inode }) => inode));
  const pids = processIds().filter((pid) => hasSocket(pid, inodes));
  if (pids.length > 0) {
    const shown = pids.slice(0, MAX_SHOWN).map((pid) => `process ${pid} (${commandOf(pid)})`);
    return shown.join(' and ');
  }
  const users = new Set(sockets.map(({ uid }) => userName(uid)));
  return `a process of user ${[...users].join(' and ')}, which this user cannot inspect`;
}

/** Listening sockets, or else the connections that use the port as their own. */
function boundSockets(port: number, protocol: PortProtocol): BoundSocket[] {
  const sockets = [protocol, `${protocol}6`].flatMap(socketTable).filter((fields) => {
    const [, local = '', , , , , , , , inode = '0'] = fields;
    return parseInt(local.slice(local.lastIndexOf(':') + 1), 16) === port && inode !== '0';
  });
  const listening = sockets.filter(([, , , state]) => state === LISTENING);
  return (listening.length > 0 ? listening : sockets).map((fields) => ({
    inode: fields[9] ?? '',
    uid: Number(fields[7]),
  }));
}

/** The rows of /proc/net/tcp and its like, in columns. */
function socketTable(name: string): string[][] {
  return readText(`/proc/net/${name}`)
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/u));
}

function processIds(): number[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number);
}

function hasSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  return namesIn(folder).some((descriptor) => {
    try {
      const [, inode = ''] = /^socket:\[(\d+)\]$/u.exec(readlinkSync(`${folder}/${descriptor}`)) ?? [];
      return inodes.has(inode);
    } catch {
      return false;
    }
  });
}

/** The command line in one line, shortened. */
function commandOf(pid: number): string {
  const command = readText(`/proc/${pid}/cmdline`)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return shortened(command, MAX_COMMAND_LENGTH);
}

function userName(uid: number): string {
  const entries = readText('/etc/passwd')
    .split('\n')
    .map((line) => line.split(':'));
  return entries.find(([, , id]) => id === String(uid))?.[0] ?? String(uid);
}

/** Empty if it cannot be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** None if the folder cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
