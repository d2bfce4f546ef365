import { isPortFree } from './free-port.ts';
import { LocalStackError } from './local-stack-error.ts';
import { instancesOf, type StackSize } from './stack-size.ts';

/** The ports that a stack opens to others. */
export interface StackPorts {
  /** All control-planes listen to it. */
  readonly api: number;
  /** All media workers listen to it. */
  readonly media: number;
  /** The first of three for each round of processes: control-plane, media worker and dispatcher, in this order. */
  readonly metrics: number;
}

/** Throws, naming every port that is taken and the variable that moves it. */
export async function requireFreePorts(ports: StackPorts, size: StackSize): Promise<void> {
  const wanted = [
    { variable: 'PORT', port: ports.api },
    { variable: 'MEDIA_PORT', port: ports.media },
    ...instancesOf(size, ports.metrics).map(({ metricsPort: port }) => ({
      variable: port === ports.metrics ? 'METRICS_PORT' : `METRICS_PORT + ${port - ports.metrics}`,
      port,
    })),
  ];
  const faults: string[] = [];
  for (const [index, { variable, port }] of wanted.entries()) {
    const earlier = wanted.slice(0, index).find((other) => other.port === port);
    if (earlier) faults.push(`port ${port} (${variable}) is also ${earlier.variable}`);
    else if (!(await isPortFree(port))) faults.push(`port ${port} (${variable}) is taken by another program`);
  }
  if (faults.length === 0) return;
  throw new LocalStackError(
    'port_taken',
    `${faults.join('\n')}\nSet each variable to a free port, as in: PORT=8090 MEDIA_PORT=8091 METRICS_PORT=9474 npm start`,
  );
}
