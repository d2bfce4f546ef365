/**
 * Forwards connections from `listen` to `connect`: each is a port of 127.0.0.1 or a socket path. Network namespaces
 * share socket paths, but not ports.
 */
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [listen = '', target = ''] = process.argv.slice(2);
const addressOf = (end: string) =>
  end.startsWith('/') ? { path: end } : { port: Number(end), host: '127.0.0.1' };
const server = createServer((incoming) => {
  const outgoing = connect(addressOf(target));
  pipeline(incoming, outgoing, incoming, () => undefined);
});
server.listen(addressOf(listen), () => process.send?.('listening'));
process.once('disconnect', () => process.exit());
