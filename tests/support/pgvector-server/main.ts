import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** PostgreSQL with pgvector as WebAssembly in its own process. All connections share one session. */
const MAX_CONNECTIONS = 20;

const db = await PGlite.create({ extensions: { vector } });
const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: MAX_CONNECTIONS });
await server.start();
process.send?.(`postgres://postgres@${server.getServerConn()}/postgres`);
