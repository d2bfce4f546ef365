import { parentPort, workerData } from 'node:worker_threads';
import { toError } from '@calls/foundation/errors';
import type { TurnModelThreadData, TurnModelRequest, TurnThreadMessage } from './turn-model.ts';
import { loadTurnNetwork } from './turn-network.ts';

// Entry of the model's thread. The first message says whether the model is loaded. An error ends the thread.

if (!parentPort) throw new Error('this file must run as a worker thread');
const port = parentPort;
const post = (message: TurnThreadMessage): void => port.postMessage(message);

const { modelPath } = workerData as TurnModelThreadData;
try {
  const network = await loadTurnNetwork(modelPath);
  port.on('message', (message: TurnModelRequest) => {
    // Exits after the run that may be in progress.
    if (message.turns === null) return port.close();
    void network.run(message.turns).then((probabilities) => post({ type: 'judged', probabilities }));
  });
  post({ type: 'ready', form: network.form });
} catch (thrown) {
  post({ type: 'rejected', message: toError(thrown).message });
}
