import type { AttemptTimes } from './reconnect-policy.ts';
import type { SignallingSocket } from './signalling-socket.ts';

export interface FirstSocketOptions {
  open: () => SignallingSocket;
  times: AttemptTimes;
  signal: AbortSignal;
  /** Called for each open socket, even after `firstSocket` has resolved. */
  onAbort: (socket: SignallingSocket) => void;
}

/**
 * Opens a socket, and further ones while none has a response: if one reaches a worker that hangs, the next may reach
 * another. Resolves to the first that is ready, refused or abandoned, and closes the others. Rejects if `open`
 * throws.
 */
export async function firstSocket({
  open,
  times: { moreAfterMs, limitMs },
  signal,
  onAbort,
}: FirstSocketOptions): Promise<SignallingSocket> {
  const sockets: SignallingSocket[] = [];
  const first = Promise.withResolvers<SignallingSocket>();
  const add = (): void => {
    const socket = open();
    sockets.push(socket);
    const abort = (): void => onAbort(socket);
    signal.addEventListener('abort', abort);
    void socket.closed.then(() => signal.removeEventListener('abort', abort));
    const responded = (): void => first.resolve(socket);
    socket.ready.then(responded, responded);
  };
  const giveUp = (): void => sockets.forEach((socket) => socket.breakOff());
  add();
  const timers = [...moreAfterMs.map((ms) => setTimeout(add, ms)), setTimeout(giveUp, limitMs)];
  const socket = await first.promise;
  for (const timer of timers) clearTimeout(timer);
  for (const other of sockets) if (other !== socket) other.breakOff();
  return socket;
}
