import type { Fault } from '@calls/api-contract';

/** Of a body of any shape; what the schema has to say about, it leaves alone. */
export function windowFaults(body: unknown, wallMs: number): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const { windowStart, windowEnd }: { windowStart?: unknown; windowEnd?: unknown } = body;
  const endMs = msOf(windowEnd);
  return [
    ...unknownTime('windowStart', windowStart),
    ...unknownTime('windowEnd', windowEnd),
    ...(endMs <= wallMs ? [{ path: 'windowEnd', message: 'must be in the future' }] : []),
    ...orderFaults(msOf(windowStart), endMs),
  ];
}

/** NaN: there is none. */
export function orderFaults(startMs: number, endMs: number): Fault[] {
  return startMs >= endMs ? [{ path: 'windowEnd', message: 'must be after windowStart' }] : [];
}

function msOf(time: unknown): number {
  return typeof time === 'string' ? Date.parse(time) : NaN;
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}[tT ]\d{2}:\d{2}:/u;

/** Times that the format allows and no calendar has, such as leap seconds. */
function unknownTime(path: string, time: unknown): Fault[] {
  if (typeof time !== 'string' || !DATE_TIME.test(time) || !Number.isNaN(Date.parse(time))) return [];
  return [{ path, message: 'must be a time without leap seconds' }];
}
