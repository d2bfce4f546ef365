import { parentPort, workerData } from 'node:worker_threads';
import { BatchBuffer } from './batch-buffer.ts';
import { RunRequest, type SileroThreadData, type SileroThreadMessage } from './messages.ts';
import { SileroModel } from './silero-model.ts';

// Entry of the model's thread. It sleeps in `next` between batches. A request to exit or an error ends it.

if (!parentPort) throw new Error('this file must run as a worker thread');
const port = parentPort;
const post = (message: SileroThreadMessage): void => port.postMessage(message);

const data = workerData as SileroThreadData;
const request = new RunRequest(data.request);
const batches = data.batches.map((memory) => new BatchBuffer(data.maxBatch, memory));
const model = await SileroModel.load(data);

post({ type: 'ready', form: model.form });
for (let next = request.next(); next; next = request.next()) {
  const buffer = batches[next.batch];
  if (buffer) await model.run(buffer, next.count);
  post({ type: 'done' });
}
