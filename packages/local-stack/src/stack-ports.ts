import { delay, systemClock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { isPortFree, isUdpPortFree } from './free-port.ts';
import { describePortHolders, type PortProtocol } from './port-holders.ts';
import { LocalStackError, type Reporter } from './reporter.ts';
import { instancesOf, type Instance, type StackPorts, type StackSize } from './stack-size.ts';

/** The debugger port of a process; undefined outside `npm run dev`. */
export function inspectPortOf(
  { dev, metrics }: StackPorts,
  instance: Pick<Instance, 'metricsPort'>,
): number | undefined {
  return dev && dev.inspect + instance.metricsPort - metrics;
}

/** SIP_PORT of the media-worker with this index, from 0. */
export function sipPortOf({ sip }: StackPorts, index: number): number {
  return sip === 0 ? 0 : sip + index;
}

/** SIP_TLS_PORT of the media-worker with this index, from 0. */
export function sipTlsPortOf({ sipTls = 0 }: StackPorts, index: number): number {
  return sipTls === 0 ? 0 : sipTls + index;
}

/** SIP_RTP_PORTS of a media-worker: its part of the range, starting with an even port. */
export function sipRtpPortsOf(
  { sipRtp: { first, last } }: StackPorts,
  index: number,
  workers: number,
): string {
  const begin = first + (first % 2);
  const each = Math.max(2, 2 * Math.floor((last - begin + 1) / workers / 2));
  return `${begin + index * each}-${begin + (index + 1) * each - 1}`;
}

/** RTC_PORT of the media-worker with this index, from 0. */
export function rtcPortOf({ rtc, rtcEach }: StackPorts, index: number): number {
  return rtc === 0 ? 0 : rtc + index * rtcEach;
}

function rtcPorts({ rtc, rtcEach }: StackPorts, size: StackSize): number[] {
  return rtc === 0 ? [] : Array.from({ length: size['media-worker'] * rtcEach }, (_, i) => rtc + i);
}

interface WantedPort {
  readonly variable: string;
  readonly port: number;
  readonly protocols: readonly PortProtocol[];
}

/** How long a taken port may take to become free: a previous launcher may be ending. */
const PORT_WAIT_MS = 5_000;
const POLL_MS = 100;

/**
 * Waits a moment for ports that are taken. Throws an error that lists every port that stays taken, with its variable and
 * its owner. Does not check SIP ports: a media-worker runs without SIP if its port is in use.
 */
export async function requireFreePorts(
  ports: StackPorts,
  size: StackSize,
  options: { reporter: Reporter; signal: AbortSignal; waitMs?: number },
): Promise<void> {
  const wanted = wantedPorts(ports, size);
  const duplicates = wanted.flatMap(({ variable, port }, index) => {
    const earlier = wanted.slice(0, index).find((other) => other.port === port);
    return earlier ? [`port ${port} (${variable}) is also ${earlier.variable}`] : [];
  });
  const conflicts = [...sipIssues(ports, size, wanted), ...duplicates];
  const taken = conflicts.length > 0 ? await takenOf(wanted) : await stillTaken(wanted, options);
  const issues = [...conflicts, ...taken.map((each) => `${labelOf(each)} is taken by ${ownerOf(each)}`)];
  if (issues.length === 0) return;
  const advice = taken.length > 0 ? 'End these programs, or set' : 'Set';
  throw new LocalStackError(
    'port_taken',
    `${issues.join('\n')}\n${advice} each variable to a free port, as in: PORT=8180 MEDIA_PORT=8181 ADMIN_PORT=8183 METRICS_PORT=9474 RTC_PORT=10100 SIP_PORT=5160 npm start`,
  );
}

function wantedPorts(ports: StackPorts, size: StackSize): WantedPort[] {
  const instances = instancesOf(size, ports.metrics);
  const tcp: { variable: string; port: number }[] = [
    { variable: 'PORT', port: ports.api },
    { variable: 'MEDIA_PORT', port: ports.media },
    ...(ports.admin === undefined ? [] : [{ variable: 'ADMIN_PORT', port: ports.admin }]),
    ...instances.map(({ metricsPort: port }) => ({
      variable: offsetName('METRICS_PORT', port - ports.metrics),
      port,
    })),
    ...instances.flatMap((instance) => {
      const port = inspectPortOf(ports, instance);
      if (port === undefined) return [];
      return [{ variable: offsetName('INSPECT_PORT', instance.metricsPort - ports.metrics), port }];
    }),
  ];
  return [
    ...tcp.map((each) => ({ ...each, protocols: ['tcp'] as const })),
    ...rtcPorts(ports, size).map((port) => ({
      variable: offsetName('RTC_PORT', port - ports.rtc),
      port,
      protocols: ['tcp', 'udp'] as const,
    })),
  ];
}

function offsetName(variable: string, offset: number): string {
  return offset === 0 ? variable : `${variable} + ${offset}`;
}

async function takenOf(ports: readonly WantedPort[]): Promise<WantedPort[]> {
  const taken: WantedPort[] = [];
  // One after another: a check of a port occupies it for a moment.
  for (const each of ports) if (!(await isFree(each))) taken.push(each);
  return taken;
}

/** The ports that are still taken after a wait. */
async function stillTaken(
  wanted: readonly WantedPort[],
  options: { reporter: Reporter; signal: AbortSignal; waitMs?: number },
): Promise<WantedPort[]> {
  const { reporter, signal, waitMs = PORT_WAIT_MS } = options;
  const deadlineMs = systemClock.nowMs() + waitMs;
  let taken = await takenOf(wanted);
  for (const each of taken) reporter.notice('ports', `waiting for ${labelOf(each)}`);
  while (taken.length > 0 && systemClock.nowMs() < deadlineMs) {
    await delay(systemClock, POLL_MS, signal);
    taken = await takenOf(taken);
  }
  return taken;
}

async function isFree(wanted: WantedPort): Promise<boolean> {
  const { port, protocols } = wanted;
  if (protocols.includes('udp') && !(await isUdpPortFree(port))) return false;
  return isPortFree(port).catch((error: unknown) => {
    const reason = toError(error).message;
    throw new LocalStackError(
      'port_not_allowed',
      `${labelOf(wanted)} cannot be used by this user: ${reason}`,
    );
  });
}

function labelOf({ port, variable }: WantedPort): string {
  return `port ${port} (${variable})`;
}

function ownerOf({ port, protocols }: WantedPort): string {
  return describePortHolders(port, protocols);
}

/** SIP ports that other parts of the stack use. */
function sipIssues(
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
