import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { LocalStackError } from '../reporter.ts';

const REPLY_LIMIT_MS = 1_000;

/**
 * Ensures one launcher per data directory. The lock is an abstract Unix socket named after the directory's inode, which
 * the kernel releases with the process. Throws if another process holds it.
 */
export async function lockDataDirectory(root: string): Promise<AsyncDisposable> {
  const { dev, ino } = statSync(root);
  const name = `\0calls-data-${createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)}`;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(String(process.pid));
  });
  if (!(await tryListen(server, name))) {
    throw new LocalStackError(
      'data_directory_in_use',
      `DATA_DIR ${root} is in use by a running launcher (pid ${await requestHolder(name)}). ` +
        'Stop that one, or set DATA_DIR, PORT, MEDIA_PORT, METRICS_PORT, ADMIN_PORT, RTC_PORT and SIP_PORT for a second copy.',
    );
  }
  server.unref();
  return {
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  };
}

function tryListen(server: Server, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(name, () => resolve(true));
  });
}

function requestHolder(name: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect(name);
    const finish = (): void => {
      socket.destroy();
      resolve(reply === '' ? 'unknown' : reply);
    };
    socket.setTimeout(REPLY_LIMIT_MS, finish);
    socket.on('data', (chunk) => (reply += chunk.toString('latin1').slice(0, 20)));
    socket.on('error', finish);
    socket.on('end', finish);
  });
}
