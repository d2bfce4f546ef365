/** A web server with the shortest queue of connections. Sends its port to its parent process. */
import { createServer, type AddressInfo } from 'node:net';

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'),
  );
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () =>
  process.send?.((server.address() as AddressInfo).port),
);
process.once('disconnect', () => process.exit());
