import { connect } from 'node:net';
import type { Stack } from '@calls/local-stack/stack';
import { sql } from 'kysely';
import { openTestStore } from './test-store.ts';

/** Makes PostgreSQL and Redis write all data to their files. */
export async function flushToDisk(stack: Pick<Stack, 'servers'>): Promise<void> {
  const store = openTestStore(stack.servers.databaseUrl);
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
