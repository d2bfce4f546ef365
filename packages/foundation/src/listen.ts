import { readFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { AppError } from './errors.ts';

/** A server could not open its port. The message is for the operator. */
class ListenError extends AppError {
  constructor(code: 'port_taken' | 'port_forbidden' | 'host_unusable', message: string, cause: unknown) {
    super(code, message, { cause });
  }
}

export interface ListenOptions {
  /** 0 uses a free port. */
  port: number;
  /** The address, and the environment variable that sets it; every interface by default. */
  host?: { address: string; variable: string } | undefined;
  /** The environment variable that sets the port, for errors. */
  variable: string;
  /** Processes of this user that set this share the port; the kernel distributes connections. */
  isShared?: boolean;
}

/**
 * Listens; resolves with the port. Connections use at most half of the files that the process may open: it needs the rest
 * for databases and its other servers. Later failures to accept a connection only affect that connection.
 */
export function listen(server: Server, options: ListenOptions): Promise<number> {
  const { port, host, isShared = false } = options;
  const maxConnections = Math.floor(openFilesLimit() / 2);
  // Undefined unless the caller has set it.
  if (!(server.maxConnections < maxConnections)) server.maxConnections = maxConnections;
  return new Promise((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => reject(explained(error, options)));
    server.listen({ port, host: host?.address, reusePort: isShared }, () => {
      const address = server.address() as AddressInfo;
      resolve(address.port);
    });
  });
}

/** Node.js has raised the soft limit to the hard limit. */
function openFilesLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'latin1');
  return Number(/^Max open files +(\d+)/mu.exec(limits)?.[1] ?? Infinity);
}

/** Stops listening and closes the connections. Does not reject, even if the server does not listen. */
export function closeServer(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function explained(error: NodeJS.ErrnoException, { port, host, variable }: ListenOptions): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(
        'port_taken',
        `port ${port} is in use by another process, or for another variable; set ${variable} to another port`,
        error,
      );
    case 'EACCES':
      return new ListenError(
        'port_forbidden',
        `port ${port} requires privileges that this user lacks; set ${variable} to another port`,
        error,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      if (!host) return error;
      return new ListenError(
        'host_unusable',
        `${host.variable} must be an address of this machine, not "${host.address}"`,
        error,
      );
    default:
      return error;
  }
}
