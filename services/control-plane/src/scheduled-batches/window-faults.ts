import type { Issue } from '@calls/api-contract/validation/validator';

/** Accepts a body of any shape and ignores what the schema rejects. */
export function windowFaults(body: unknown, wallMs: number): Issue[] {
  if (typeof body !== 'object' || body === null) return [];
  const { windowStart, windowEnd }: { windowStart?: unknown; windowEnd?: unknown } = body;
  const endMs = msOf(windowEnd);
  return [
    ...(endMs <= wallMs ? [{ path: 'windowEnd', message: 'must be in the future' }] : []),
    ...orderFaults(msOf(windowStart), endMs),
  ];
}

/** A NaN time counts as absent. */
export function orderFaults(startMs: number, endMs: number): Issue[] {
  return startMs >= endMs ? [{ path: 'windowEnd', message: 'must be after windowStart' }] : [];
}

function msOf(time: unknown): number {
  return typeof time === 'string' ? Date.parse(time) : NaN;
}
