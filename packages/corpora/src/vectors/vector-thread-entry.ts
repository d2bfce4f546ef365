import { parentPort, workerData } from 'node:worker_threads';
import { toError } from '@calls/foundation/errors';
import { silentLogger } from '@calls/foundation/logger';
import { openStore } from '@calls/store/store';
import { vectorState, vectorsBetween } from '@calls/store/tables/corpus-vectors';
import { VectorCache } from './vector-cache.ts';
import type {
  VectorThreadData,
  VectorThreadRequest,
  VectorThreadResponse,
} from './vector-thread-messages.ts';

// Entry of the thread that holds vectors and compares them, so that neither delays the main thread. It has database
// its own connections, and runs until it is terminated.

const POOL_SIZE = 2;

if (!parentPort) throw new Error('this file must run as a worker thread');
const port = parentPort;
const { databaseUrl: url, queryLimitMs, maxBytes } = workerData as VectorThreadData;
const { db } = openStore({ url, name: 'vectors', poolSize: POOL_SIZE, queryLimitMs, log: silentLogger });
const cache = new VectorCache(
  {
    state: (corpusId, model) => vectorState(db, corpusId, model),
    between: (corpus, range) => vectorsBetween(db, corpus, range),
  },
  maxBytes,
);

async function respond({ number, query }: VectorThreadRequest): Promise<VectorThreadResponse> {
  try {
    return { number, hits: await cache.nearest(query) };
  } catch (thrown) {
    return { number, error: toError(thrown).message };
  }
}

port.on('message', (request: VectorThreadRequest) => {
  void respond(request).then((response) => port.postMessage(response));
});
port.postMessage('ready');
