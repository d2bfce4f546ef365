import { parentPort, workerData } from 'node:worker_threads';
import { Events } from 'nats';
import { connectTo } from './bus-address.ts';
import { MainHeartbeat, type PingThreadData } from './ping-thread-messages.ts';

// Entry of the ping thread. It responds to pings of other workers while the main thread is busy, and not while the
// process is frozen. It has its own connection, and runs until it is terminated.

/** A main thread that did not run for this long cannot serve its calls. */
const HUNG_AFTER_MS = 2000;

if (!parentPort) throw new Error('this file must run as a worker thread');
const { url, name, subject, beat: memory } = workerData as PingThreadData;
const beat = new MainHeartbeat(memory);
const nats = await connectTo(url, name);
nats.subscribe(subject, {
  callback: (_, message) => {
    if (beat.ageMs < HUNG_AFTER_MS) message.respond();
  },
});
await nats.flush();
parentPort.postMessage('connected');
for await (const { type } of nats.status()) {
  if (type === Events.Disconnect) parentPort.postMessage('disconnected');
  else if (type === Events.Reconnect) parentPort.postMessage('connected');
}
