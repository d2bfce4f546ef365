import { isPortFree } from './free-port.ts';
import { LocalStackError } from './local-stack-error.ts';

/** Every port that a stack opens to others. */
export interface StackPorts {
  readonly api: number;
  readonly media: number;
  readonly controlPlaneMetrics: number;
  readonly mediaWorkerMetrics: number;
  readonly dispatcherMetrics: number;
}

const VARIABLES: Readonly<Record<keyof StackPorts, string>> = {
  api: 'PORT',
  media: 'MEDIA_PORT',
  controlPlaneMetrics: 'METRICS_PORT',
  mediaWorkerMetrics: 'METRICS_PORT + 1',
  dispatcherMetrics: 'METRICS_PORT + 2',
};

/** Throws, naming every port that is taken and the variable that moves it. */
export async function requireFreePorts(ports: StackPorts): Promise<void> {
  const names = Object.keys(VARIABLES) as (keyof StackPorts)[];
  const taken: string[] = [];
  for (const name of names) {
    const earlier = names.slice(0, names.indexOf(name)).find((other) => ports[other] === ports[name]);
    const described = `port ${ports[name]} (${VARIABLES[name]})`;
    if (earlier !== undefined) taken.push(`${described} is also ${VARIABLES[earlier]}`);
    else if (!(await isPortFree(ports[name]))) taken.push(`${described} is taken by another program`);
  }
  if (taken.length === 0) return;
  throw new LocalStackError('port_taken', `${taken.join('; ')}. Set the variable to a free port.`);
}
