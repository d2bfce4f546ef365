import { AppError } from '@calls/foundation';
import type { TurnEffect, TurnEvent, TurnState } from '../turn/turn-types.ts';

/** The first line. */
export interface TraceHeader {
  version: 1;
  callId: string;
  initial: TurnState;
}

/** Every other line. */
export interface TraceStep {
  /** Milliseconds since the join. */
  atMs: number;
  event: TurnEvent;
  /** What was decided; null where the reducer broke. */
  effects: readonly TurnEffect[] | null;
}

/** What the turn reducer of a call was told and what it decided. */
export interface Trace {
  callId: string;
  initial: TurnState;
  steps: readonly TraceStep[];
}

export class TraceError extends AppError {
  constructor(message: string) {
    super('bad_trace', message);
  }
}

/** Reads lines of JSON as a worker wrote them. A last line that a crash has cut is left out. */
export function parseTrace(text: string): Trace {
  const lines = text.split('\n');
  const cut = lines.pop() ?? '';
  const [first, ...rest] = lines.map((line, index) => objectIn(line, index + 1));
  if (!first || !('initial' in first) || !('version' in first)) {
    throw new TraceError(cut === '' ? 'the trace is empty' : 'the trace has no whole line');
  }
  if (first.version !== 1) throw new TraceError(`version ${String(first.version)} of traces is not known`);
  const { callId, initial } = first as TraceHeader;
  return { callId, initial, steps: rest.map((line, index) => stepOf(line, index + 2)) };
}

function objectIn(line: string, number: number): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Told below.
  }
  throw new TraceError(`line ${number} is no JSON object`);
}

function stepOf(line: object, number: number): TraceStep {
  if ('atMs' in line && 'event' in line && 'effects' in line) return line as TraceStep;
  throw new TraceError(`line ${number} is no step`);
}
