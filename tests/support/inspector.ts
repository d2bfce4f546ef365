import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from './eventually.ts';

/** Collects all garbage of a Node process that was started with `--inspect-port=<port>`, whether it wants to or not. */
export async function collectGarbage(pid: number, port: number): Promise<void> {
  process.kill(pid, 'SIGUSR1');
  const url = await eventually(async () => {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      webSocketDebuggerUrl: string;
    }[];
    const [target] = targets;
    if (!target) throw new Error('the inspector lists no target');
    return target.webSocketDebuggerUrl;
  });
  const socket = new WebSocket(url);
  await once(socket, 'open');
  // Twice: what finalizers free goes with the second.
  for (const id of [1, 2]) {
    socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
    await once(socket, 'message');
  }
  socket.close();
  await once(socket, 'close');
}
