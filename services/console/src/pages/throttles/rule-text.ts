import type { Schemas } from '../../api/client.ts';

export type Rule = Schemas['CallThrottleRule'];

const UNITS = [
  { seconds: 86_400, one: 'day', more: 'days' },
  { seconds: 3600, one: 'hour', more: 'hours' },
  { seconds: 60, one: 'minute', more: 'minutes' },
  { seconds: 1, one: 'second', more: 'seconds' },
];

/** `10 calls in 1 minute`. */
export function ruleText({ maxCalls, windowSeconds }: Rule): string {
  const unit = UNITS.find(({ seconds }) => windowSeconds % seconds === 0);
  const count = windowSeconds / (unit?.seconds ?? 1);
  const calls = maxCalls === 1 ? '1 call' : `${maxCalls} calls`;
  return `${calls} in ${count} ${(count === 1 ? unit?.one : unit?.more) ?? ''}`;
}
