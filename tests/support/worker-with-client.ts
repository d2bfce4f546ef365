import type { SupervisedProcess } from '@calls/local-stack/process/supervised-process';
import type { Stack } from '@calls/local-stack/stack';
import { instancesOf, type Instance } from '@calls/local-stack/stack-size';
import { MetricsReading } from '../bench/scrape.ts';
import { eventually } from './eventually.ts';

export function mediaWorkers({ size, ports }: Stack): Instance[] {
  return instancesOf(size, ports.metrics).filter(({ service }) => service === 'media-worker');
}

/** The media-worker that has the only call with a client. Waits until workers have left earlier calls. */
export function workerWithClient(stack: Stack): Promise<SupervisedProcess> {
  return eventually(async () => {
    const joined = await Promise.all(
      mediaWorkers(stack).map(async ({ name, metricsPort }) => ({
        process: stack.processes.get(name),
        calls: (await MetricsReading.of(metricsPort)).value('calls_joined'),
      })),
    );
    const [owner, ...others] = joined.filter(({ calls }) => calls > 0);
    if (!owner?.process || owner.calls > 1 || others.length > 0)
      throw new Error(`calls with a client by worker: ${joined.map(({ calls }) => calls).join(', ')}`);
    return owner.process;
  });
}
