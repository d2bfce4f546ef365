import { isPortFree, isUdpPortFree } from './free-port.ts';
import { LocalStackError } from './reporter.ts';
import { instancesOf, type Instance, type StackPorts, type StackSize } from './stack-size.ts';

/** The debugger port of a process; undefined outside `npm run dev`. */
export function inspectPortOf(
  { dev, metrics }: StackPorts,
  instance: Pick<Instance, 'metricsPort'>,
): number | undefined {
  return dev && dev.inspect + instance.metricsPort - metrics;
}

/** SIP_PORT of the media worker with this index, from 0. */
export function sipPortOf({ sip }: StackPorts, index: number): number {
  return sip === 0 ? 0 : sip + index;
}

/** SIP_TLS_PORT of the media worker with this index, from 0. */
export function sipTlsPortOf({ sipTls = 0 }: StackPorts, index: number): number {
  return sipTls === 0 ? 0 : sipTls + index;
}

/** SIP_RTP_PORTS of a media worker: its part of the range, starting with an even port. */
export function sipRtpPortsOf(
  { sipRtp: { first, last } }: StackPorts,
  index: number,
  workers: number,
): string {
  const begin = first + (first % 2);
  const each = Math.max(2, 2 * Math.floor((last - begin + 1) / workers / 2));
  return `${begin + index * each}-${begin + (index + 1) * each - 1}`;
}

/** RTC_PORT of the media worker with this index, from 0. */
export function rtcPortOf({ rtc, rtcEach }: StackPorts, index: number): number {
  return rtc === 0 ? 0 : rtc + index * rtcEach;
}

function rtcPorts({ rtc, rtcEach }: StackPorts, size: StackSize): number[] {
  return rtc === 0 ? [] : Array.from({ length: size['media-worker'] * rtcEach }, (_, i) => rtc + i);
}

/**
 * Throws an error that lists every used port with its variable. Does not check SIP ports: a media worker runs without
 * SIP if its port is in use.
 */
export async function requireFreePorts(ports: StackPorts, size: StackSize): Promise<void> {
  const wanted = [
    { variable: 'PORT', port: ports.api, isFree: isPortFree },
    { variable: 'MEDIA_PORT', port: ports.media, isFree: isPortFree },
    ...instancesOf(size, ports.metrics).map(({ metricsPort: port }) => ({
      variable: port === ports.metrics ? 'METRICS_PORT' : `METRICS_PORT + ${port - ports.metrics}`,
      port,
      isFree: isPortFree,
    })),
    ...instancesOf(size, ports.metrics).flatMap((instance) => {
      const port = inspectPortOf(ports, instance);
      if (port === undefined) return [];
      const offset = instance.metricsPort - ports.metrics;
      const variable = offset === 0 ? 'INSPECT_PORT' : `INSPECT_PORT + ${offset}`;
      return [{ variable, port, isFree: isPortFree }];
    }),
    ...rtcPorts(ports, size).map((port) => ({
      variable: port === ports.rtc ? 'RTC_PORT' : `RTC_PORT + ${port - ports.rtc}`,
      port,
      isFree: async (each: number) => (await isPortFree(each)) && (await isUdpPortFree(each)),
    })),
  ];
  const faults = sipFaults(ports, size, wanted);
  for (const [index, { variable, port, isFree }] of wanted.entries()) {
    const earlier = wanted.slice(0, index).find((other) => other.port === port);
    if (earlier) faults.push(`port ${port} (${variable}) is also ${earlier.variable}`);
    else if (!(await isFree(port))) faults.push(`port ${port} (${variable}) is taken by another program`);
  }
  if (faults.length === 0) return;
  throw new LocalStackError(
    'port_taken',
    `${faults.join('\n')}\nSet each variable to a free port, as in: PORT=8090 MEDIA_PORT=8091 METRICS_PORT=9474 RTC_PORT=10100 npm start`,
  );
}

/** SIP ports that other parts of the stack use. */
function sipFaults(
  { sip, sipTls = 0, sipRtp }: StackPorts,
  size: StackSize,
  others: readonly { variable: string; port: number }[],
): string[] {
  const portsFrom = (name: string, first: number): { variable: string; port: number }[] =>
    Array.from({ length: first === 0 ? 0 : size['media-worker'] }, (_, index) => ({
      variable: index === 0 ? name : `${name} + ${index}`,
      port: first + index,
    }));
  const plain = portsFrom('SIP_PORT', sip);
  const check = (
    own: readonly { variable: string; port: number }[],
    rest: readonly { variable: string; port: number }[],
  ): string[] =>
    own.flatMap(({ variable, port }) => {
      const isRtp = port >= sipRtp.first && port <= sipRtp.last;
      const also = isRtp ? 'one of SIP_RTP_PORTS' : rest.find((other) => other.port === port)?.variable;
      return also === undefined ? [] : `port ${port} (${variable}) is also ${also}`;
    });
  return [...check(plain, others), ...check(portsFrom('SIP_TLS_PORT', sipTls), [...plain, ...others])];
}
