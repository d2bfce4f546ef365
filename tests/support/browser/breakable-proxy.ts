import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** TCP proxy to a local port whose connections can be broken. */
export interface BreakableProxy extends AsyncDisposable {
  readonly port: number;
  /** Number of connections so far. */
  readonly connections: number;
  /** Breaks all open connections. New ones are accepted. */
  cut(): void;
}

/** `entrance`: port to listen on. By default, the proxy uses any free port. */
export async function startBreakableProxy(
  port: number,
  entrance = { address: '127.0.0.1', port: 0 },
): Promise<BreakableProxy> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((inner) => {
    connections += 1;
    const outer = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(entrance.port, entrance.address, resolve));
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
