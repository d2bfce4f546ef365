import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { AppError } from './errors.ts';

/** A server could not open its port. The message is for the operator. */
export class ListenError extends AppError {
  constructor(code: 'port_taken' | 'port_forbidden', message: string, cause: unknown) {
    super(code, message, { cause });
  }
}

export interface ListenOptions {
  /** 0 uses a free port. */
  port: number;
  /** Every interface by default. */
  host?: string | undefined;
  /** The environment variable that sets the port, for errors. */
  variable: string;
  /** Processes of this user that set this share the port; the kernel distributes connections. */
  isShared?: boolean;
}

/**
 * Listens; resolves with the port. Later failures to accept a connection (no free file descriptor)
 * only affect that connection.
 */
export function listen(
  server: Server,
  { port, host, variable, isShared = false }: ListenOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => reject(explained(error, port, variable)));
    server.listen({ port, host, reusePort: isShared }, () => {
      const address = server.address() as AddressInfo;
      resolve(address.port);
    });
  });
}

/** Stops listening and closes the connections. Does not reject, even if the server does not listen. */
export function closeServer(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function explained(error: NodeJS.ErrnoException, port: number, variable: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        'port_taken',
        `port ${port} is in use by another process; set ${variable} to another port`,
        error,
      );
    case 'EACCES':
      return new ListenError(
        'port_forbidden',
        `port ${port} requires privileges that this user lacks; set ${variable} to another port`,
        error,
      );
    default:
      return error;
  }
}
