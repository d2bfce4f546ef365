import type { SupervisedProcess } from '@calls/local-stack/process/supervised-process';
import type { Stack } from '@calls/local-stack/stack';
import { instancesOf, type Instance } from '@calls/local-stack/stack-size';
import { MetricsReading } from '../bench/scrape.ts';
import { eventually } from './eventually.ts';

export function mediaWorkers({ size, ports }: Stack): Instance[] {
  return instancesOf(size, ports.metrics).filter(({ service }) => service === 'media-worker');
}

/** Returns the media worker that runs a call with a connected client. */
export function workerWithClient(stack: Stack): Promise<SupervisedProcess> {
  return eventually(async () => {
    for (const { name, metricsPort } of mediaWorkers(stack)) {
      const process = stack.processes.get(name);
      if (process && (await MetricsReading.of(metricsPort)).value('calls_joined') > 0) return process;
    }
    throw new Error('no worker has a call with a client');
  });
}
