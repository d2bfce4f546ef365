import { parentPort } from 'node:worker_threads';
import { loadOpus } from '@calls/audio/opus';
import { CodecStreams } from './codec-streams.ts';
import { InlineOpus } from './inline-opus.ts';

// Entry of the codec thread. Answers each batch with one batch, in order, until it is terminated. An unexpected error
// ends the thread.

if (!parentPort) throw new Error('this file must run as a worker thread');
const port = parentPort;
await loadOpus();
const streams = new CodecStreams(new InlineOpus());
let last = Promise.resolve();
port.on('message', (batch: ArrayBuffer) => {
  last = last.then(async () => {
    const result = await streams.process(batch);
    port.postMessage(result, [result]);
  });
});
port.postMessage('ready');
