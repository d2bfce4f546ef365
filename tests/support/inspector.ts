import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from './eventually.ts';

const SIZES = `function () {
  let entries = 0;
  for (const each of this) try { entries += each.size; } catch { /* The prototype of a subclass. */ }
  return entries;
}`;

/**
 * Runs garbage collection in a Node.js process that was started with `--inspect-port=<port>`. Returns the total number
 * of entries of its maps and sets.
 */
export async function retainedEntries(pid: number, port: number): Promise<number> {
  await using inspector = await Inspector.open(pid, port);
  // Twice, because objects that finalizers release are collected by the second run.
  await inspector.send('HeapProfiler.collectGarbage');
  await inspector.send('HeapProfiler.collectGarbage');
  let entries = 0;
  for (const type of ['Map', 'Set']) {
    const { result } = await inspector.send<{ result: { objectId: string } }>('Runtime.evaluate', {
      expression: `${type}.prototype`,
    });
    const { objects } = await inspector.send<{ objects: { objectId: string } }>('Runtime.queryObjects', {
      prototypeObjectId: result.objectId,
    });
    const sizes = await inspector.send<{ result: { value: number } }>('Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: SIZES,
      returnByValue: true,
    });
    entries += sizes.result.value;
    for (const { objectId } of [objects, result]) await inspector.send('Runtime.releaseObject', { objectId });
  }
  return entries;
}

class Inspector implements AsyncDisposable {
  readonly #socket: WebSocket;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(pid: number, port: number): Promise<Inspector> {
    process.kill(pid, 'SIGUSR1');
    const url = await eventually(async () => {
      const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
        webSocketDebuggerUrl: string;
      }[];
      const [target] = targets;
      if (!target) throw new Error('the inspector has no target');
      return target.webSocketDebuggerUrl;
    });
    const socket = new WebSocket(url, { maxPayload: 0 });
    await once(socket, 'open');
    return new Inspector(socket);
  }

  /** Only one request at a time. No domain is enabled, so that the only messages are responses. */
  async send<T>(method: string, params: Record<string, unknown> = {}): Promise<T> {
    this.#lastId += 1;
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params }));
    const [data] = (await once(this.#socket, 'message')) as [Buffer];
    const { result, error } = JSON.parse(data.toString()) as { result: T; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}
