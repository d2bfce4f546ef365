import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const FORWARDER = fileURLToPath(new URL('forwarder.ts', import.meta.url));

/** Returns the command that runs `command` in a network namespace; null: the current namespace. */
export function inNamespace(
  namespace: string | null,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return namespace === null ? command : ['ip', 'netns', 'exec', namespace, ...command];
}

/** Forwards connections from `listen` to `connect`; see forwarder.ts. */
export async function startForwarder(
  namespace: string | null,
  { listen, connect }: { listen: number | string; connect: number | string },
): Promise<AsyncDisposable> {
  const [execPath, ...execArgv] = inNamespace(namespace, [process.execPath]);
  const child = fork(FORWARDER, [String(listen), String(connect)], { execPath, execArgv });
  const exited = once(child, 'exit');
  const [message] = (await Promise.race([once(child, 'message'), exited])) as unknown[];
  if (message !== 'listening') throw new Error(`the forwarder cannot listen on ${listen}`);
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
