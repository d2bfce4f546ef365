import { isPortFree } from './free-port.ts';
import { LocalStackError } from './local-stack-error.ts';

/** The ports that a stack opens to others. */
export interface StackPorts {
  readonly api: number;
  readonly media: number;
  /** The first of three: control-plane, media worker and dispatcher, in this order. */
  readonly metrics: number;
}

/** Throws, naming every port that is taken and the variable that moves it. */
export async function requireFreePorts(ports: StackPorts): Promise<void> {
  const wanted = [
    { variable: 'PORT', port: ports.api },
    { variable: 'MEDIA_PORT', port: ports.media },
    { variable: 'METRICS_PORT', port: ports.metrics },
    { variable: 'METRICS_PORT + 1', port: ports.metrics + 1 },
    { variable: 'METRICS_PORT + 2', port: ports.metrics + 2 },
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
