import { parentPort } from 'node:worker_threads';
import { loadOpus } from '@calls/audio/opus';
import { CodecStreams } from './codec-streams.ts';
import { InlineOpus } from './inline-opus.ts';

// The entry of the codecs' thread. Answers each batch by one, in order, until it is terminated; a fault ends it.

if (!parentPort) throw new Error('this file runs as a worker thread');
const port = parentPort;
await loadOpus();
const streams = new CodecStreams(new InlineOpus());
let last = Promise.resolve();
port.on('message', (batch: ArrayBuffer) => {
  last = last.then(async () => {
    const answer = await streams.answer(batch);
    port.postMessage(answer, [answer]);
  });
});
port.postMessage('ready');
