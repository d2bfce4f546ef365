import type { TurnEffect, TurnEvent } from '../turn/turn-types.ts';
import type { ReplayedStep } from './replay-trace.ts';

const TIME_WIDTH = 10;
const STATE_WIDTH = 28;

/**
 * Formats a trace for people: one line per event, its decisions below it, and differences from the recorded
 * decisions.
 */
export function timelineOf(steps: readonly ReplayedStep[]): string[] {
  return steps.flatMap((step) => {
    const { atMs, event, from, to, initial } = step;
    const time = `${(atMs / 1000).toFixed(3)} s`.padStart(TIME_WIDTH);
    const states = (from === to ? from : `${from} → ${to}`).padEnd(STATE_WIDTH);
    const again = initial ? [`${' '.repeat(TIME_WIDTH)}  another session continues the call`] : [];
    return [...again, `${time}  ${states}  ${described(event)}`, ...decisionsOf(step)];
  });
}

function decisionsOf({ decided, effects, error, isSame }: ReplayedStep): string[] {
  if (isSame) return listed(decided, error).map((line) => indented(' ', line));
  return [
    ...listed(effects, null).map((line) => indented('-', line)),
    ...listed(decided, error).map((line) => indented('+', line)),
  ];
}

function listed(effects: readonly TurnEffect[] | null, error: Error | null): string[] {
  if (!effects) return [`broke${error ? `: ${error.message}` : ''}`];
  return effects.length === 0 ? ['nothing'] : effects.map(described);
}

function indented(mark: string, line: string): string {
  return `${' '.repeat(TIME_WIDTH)}${mark}   → ${line}`;
}

function described({ type, ...values }: TurnEvent | TurnEffect): string {
  const details = Object.entries(values).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [type, ...details].join(' ');
}
