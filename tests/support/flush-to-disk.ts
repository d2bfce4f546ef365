import { connect } from 'node:net';
import { silentLogger } from '@calls/foundation/logger';
import type { Stack } from '@calls/local-stack/stack';
import { openStore } from '@calls/store/store';
import { sql } from 'kysely';

/** Makes PostgreSQL and Redis write all data to their files. */
export async function flushToDisk(stack: Pick<Stack, 'servers'>): Promise<void> {
  const store = openStore({ url: stack.servers.databaseUrl, name: 'test', poolSize: 1, log: silentLogger });
  await sql`checkpoint`.execute(store.db);
  await store[Symbol.asyncDispose]();
  const { port, password } = new URL(stack.servers.redisUrl);
  const reply = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`AUTH ${password}\r\nSAVE\r\n`));
    let text = '';
    socket.on('data', (data) => {
      text += data.toString();
      if (text.split('\r\n').length < 3) return;
      socket.destroy();
      resolve(text);
    });
    socket.on('error', reject);
  });
  if (reply !== '+OK\r\n+OK\r\n') throw new Error(`Redis did not save: ${reply}`);
}
