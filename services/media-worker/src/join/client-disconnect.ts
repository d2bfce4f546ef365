import type { Duplex } from 'node:stream';

/**
 * Destroys a connection whose client disconnects while the stream is not read. Received data stays in the stream. Call the
 * returned function before reading.
 */
export function destroyOnDisconnect(stream: Duplex): () => void {
  // A stream reports the end of the received data only when it is read.
  const look = (): void => void stream.read(0);
  const leave = (): void => void stream.destroy();
  stream.on('readable', look);
  stream.once('end', leave);
  return () => {
    stream.off('readable', look);
    stream.off('end', leave);
  };
}
