import { isPortFree, isUdpPortFree } from './free-port.ts';
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
  /** Of the first media worker's WebRTC, UDP and TCP; the others' follow. 0: any free ones. */
  readonly rtc: number;
  /** How many each media worker takes. */
  readonly rtcEach: number;
}

/** RTC_PORT of a media worker, the first being 0. */
export function rtcPortOf({ rtc, rtcEach }: StackPorts, index: number): number {
  return rtc === 0 ? 0 : rtc + index * rtcEach;
}

function rtcPorts({ rtc, rtcEach }: StackPorts, size: StackSize): number[] {
  return rtc === 0 ? [] : Array.from({ length: size['media-worker'] * rtcEach }, (_, i) => rtc + i);
}

/** Throws, naming every port that is taken and the variable that moves it. */
export async function requireFreePorts(ports: StackPorts, size: StackSize): Promise<void> {
  const wanted = [
    { variable: 'PORT', port: ports.api, isFree: isPortFree },
    { variable: 'MEDIA_PORT', port: ports.media, isFree: isPortFree },
    ...instancesOf(size, ports.metrics).map(({ metricsPort: port }) => ({
      variable: port === ports.metrics ? 'METRICS_PORT' : `METRICS_PORT + ${port - ports.metrics}`,
      port,
      isFree: isPortFree,
    })),
    ...rtcPorts(ports, size).map((port) => ({
      variable: port === ports.rtc ? 'RTC_PORT' : `RTC_PORT + ${port - ports.rtc}`,
      port,
      isFree: async (each: number) => (await isPortFree(each)) && (await isUdpPortFree(each)),
    })),
  ];
  const faults: string[] = [];
  for (const [index, { variable, port, isFree }] of wanted.entries()) {
    const earlier = wanted.slice(0, index).find((other) => other.port === port);
    if (earlier) faults.push(`port ${port} (${variable}) is also ${earlier.variable}`);
    else if (!(await isFree(port))) faults.push(`port ${port} (${variable}) is taken by another program`);
  }
  if (faults.length === 0) return;
  throw new LocalStackError(
    'port_taken',
    `${faults.join('\n')}\nSet each variable to a free port, as in: PORT=8090 MEDIA_PORT=8091 METRICS_PORT=9474 RTC_PORT=44544 npm start`,
  );
}
