import { AppError } from '@calls/foundation/errors';
import type { TurnEffect, TurnEvent, TurnState } from '../turn/turn-types.ts';

/** The first line, and the first line of each later session of the call. */
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
  /** The decided effects; null if the reducer threw. */
  effects: readonly TurnEffect[] | null;
  /** Initial state of a later session, on its first step. */
  initial?: TurnState;
}

/** Events of a call's turn reducer and the effects it decided. */
export interface Trace {
  callId: string;
  initial: TurnState;
  steps: readonly TraceStep[];
}

class TraceError extends AppError {
  constructor(message: string) {
    super('bad_trace', message);
  }
}

/** Parses the JSON lines that workers write. Lines truncated by a crash are skipped. */
export function parseTrace(text: string): Trace {
  const lines = text.split('\n');
  const cut = lines.pop() ?? '';
  let first: TraceHeader | null = null;
  let later: TraceHeader | null = null;
  const steps: TraceStep[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const object = objectIn(line, index + 1, lines[index + 1]);
    if (!object) continue;
    const header = headerIn(object);
    if (!first) first = header ?? fail('the trace does not begin with its header');
    else if (header) later = header;
    else {
      const step = stepOf(object, index + 1);
      steps.push(later ? { ...step, initial: later.initial } : step);
      later = null;
    }
  }
  if (!first) return fail(cut === '' ? 'the trace is empty' : 'the trace has no complete line');
  return { callId: first.callId, initial: first.initial, steps };
}

function headerIn(line: object): TraceHeader | null {
  if (!('initial' in line && 'version' in line)) return null;
  if (line.version !== 1) return fail(`unsupported trace version ${String(line.version)}`);
  return line as TraceHeader;
}

function fail(message: string): never {
  throw new TraceError(message);
}

/** Null if a crash truncated it: the next session appends an empty line after such a line. */
function objectIn(line: string, number: number, next: string | undefined): object | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below.
  }
  return next === '' ? null : fail(`line ${number} is not a JSON object`);
}

function stepOf(line: object, number: number): TraceStep {
  if ('atMs' in line && 'event' in line && 'effects' in line) return line as TraceStep;
  return fail(`line ${number} is not a trace step`);
}
