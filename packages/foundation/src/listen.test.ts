import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listen } from './listen.ts';

const servers = new Set<ReturnType<typeof createServer>>();
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
});

function server(): ReturnType<typeof createServer> {
  const made = createServer();
  servers.add(made);
  return made;
}

describe('listen', () => {
  it('uses a free port when the port is 0', async () => {
    const taking = server();
    const port = await listen(taking, { port: 0, variable: 'PORT' });
    expect(port).toBeGreaterThan(0);
    expect(taking.address()).toMatchObject({ port });
  });

  it('reports the port that is in use and the variable that changes it', async () => {
    const port = await listen(server(), { port: 0, variable: 'PORT' });
    await expect(listen(server(), { port, variable: 'MEDIA_PORT' })).rejects.toMatchObject({
      code: 'port_taken',
      message: `port ${port} is in use by another process, or for another variable; set MEDIA_PORT to another port`,
    });
  });

  it('names the variable of an address that the machine does not have', () =>
    expect(
      listen(server(), { port: 0, variable: 'PORT', host: { address: '192.0.2.1', variable: 'ADMIN_HOST' } }),
    ).rejects.toMatchObject({
      code: 'host_unusable',
      message: `ADMIN_HOST must be an address of this machine, not "192.0.2.1"`,
    }));

  it('shares a port only with servers that share it too', async () => {
    const port = await listen(server(), { port: 0, variable: 'PORT', isShared: true });
    expect(await listen(server(), { port, variable: 'PORT', isShared: true })).toBe(port);
    await expect(listen(server(), { port, variable: 'PORT' })).rejects.toMatchObject({ code: 'port_taken' });
    const stranger = await listen(server(), { port: 0, variable: 'PORT' });
    await expect(
      listen(server(), { port: stranger, variable: 'PORT', isShared: true }),
    ).rejects.toMatchObject({
      code: 'port_taken',
    });
  });

  it('continues to listen after a connection that could not be accepted', async () => {
    const taking = server();
    await listen(taking, { port: 0, variable: 'PORT' });
    taking.emit('error', new Error('accept EMFILE'));
    taking.emit('error', new Error('accept EMFILE'));
    expect(taking.listening).toBe(true);
  });

  it('leaves files to the process when there are more connections than it may open files', async () => {
    const program = `
      import { createServer } from 'node:net';
      import { openSync } from 'node:fs';
      import { listen } from '${import.meta.resolve('./listen.ts')}';
      const server = createServer(() => server.getConnections((_, count) => count === 50 && console.log('full')));
      server.on('drop', () => console.log(openSync('/dev/null')));
      console.log(await listen(server, { port: 0, variable: 'PORT' }));
    `;
    const child = spawn('prlimit', [
      ...['--nofile=100', process.execPath, '--disable-warning=ExperimentalWarning'],
      ...['--input-type=module', '--eval', program],
    ]);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);
    const port = Number(await next());
    const clients = Array.from({ length: 120 }, () =>
      connect(port, '127.0.0.1').on('error', () => undefined),
    );
    expect(await next()).toBe('full');
    expect(Number(await next())).toBeGreaterThan(50);
    for (const client of clients) client.destroy();
    child.kill();
  });
});
