import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findFreePorts } from './free-port.ts';
import { describePortHolders } from './port-holders.ts';

const UNPRIVILEGED_UID = 65_534;
const itAsRoot = process.getuid?.() === 0 ? it : it.skip;

const port = await findFreePorts(1);
const listen = `require('node:net').createServer().listen(${port}, () => console.log('listening'))`;
// The full path may be longer than the displayed part of a command line.
const holder = spawn(process.execPath, ['-e', listen], {
  argv0: 'node',
  stdio: ['ignore', 'pipe', 'inherit'],
});
await once(holder.stdout, 'data');
afterAll(() => {
  holder.kill('SIGKILL');
});

describe('describePortHolders', () => {
  it('names the process that listens and its command line', () => {
    expect(describePortHolders(port, ['tcp'])).toMatch(
      new RegExp(`^process ${holder.pid} \\(node -e require\\('node:net'\\).*\\)$`, 'u'),
    );
    expect(describePortHolders(port, ['udp'])).toBe('another program');
  });

  it('names the process that uses the UDP port', async () => {
    const socket = createSocket('udp4').bind(port);
    await once(socket, 'listening');
    expect(describePortHolders(port, ['udp'])).toContain(`process ${process.pid} (`);
    socket.close();
  });

  itAsRoot('names only the user when it may not inspect the process', () => {
    process.seteuid?.(UNPRIVILEGED_UID);
    try {
      expect(describePortHolders(port, ['tcp'])).toBe(
        'a process of user root, which this user cannot inspect',
      );
    } finally {
      process.seteuid?.(0);
    }
  });
});
