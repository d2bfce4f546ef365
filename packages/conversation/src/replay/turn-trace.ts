import type { CallSpec } from '@calls/api-contract/call-spec';
import type { CallTraces, TraceSink } from '../ports/call-traces.ts';
import type { TurnEffect, TurnEvent, TurnState } from '../turn/turn-types.ts';
import type { TraceHeader, TraceStep } from './trace.ts';

/** Some hours of talk. */
const MAX_CHARACTERS = 2_000_000;

export interface TurnTraceOptions {
  call: Pick<CallSpec, 'accountId' | 'callId' | 'retention'>;
  initial: TurnState;
  /** The call had another session before. */
  resumed: boolean;
  /** Milliseconds since the join. */
  callTimeMs: () => number;
}

/** Writes down what the turn reducer was told and what it decided, for replay. */
export class TurnTrace {
  readonly #sink: TraceSink;
  readonly #callTimeMs: () => number;
  #charactersLeft = MAX_CHARACTERS;

  private constructor(sink: TraceSink, { call, initial, callTimeMs }: TurnTraceOptions) {
    this.#sink = sink;
    this.#callTimeMs = callTimeMs;
    const header: TraceHeader = { version: 1, callId: call.callId, initial };
    this.#write(header);
  }

  /** Null where no traces are kept, or none may be: words are in it. */
  static open(traces: CallTraces | null, options: TurnTraceOptions): TurnTrace | null {
    if (!traces || options.call.retention === 'zdr') return null;
    const { call, resumed } = options;
    return new TurnTrace(resumed ? traces.resume(call) : traces.open(call), options);
  }

  /** `effects`: null where the reducer broke. */
  step(event: TurnEvent, effects: readonly TurnEffect[] | null): void {
    const step: TraceStep = { atMs: this.#callTimeMs(), event, effects };
    this.#write(step);
  }

  close(): Promise<void> {
    return this.#sink.close();
  }

  leave(): Promise<void> {
    return this.#sink.suspend();
  }

  /** What comes when it is full is left out, and so is all that follows. */
  #write(line: TraceHeader | TraceStep): void {
    const text = JSON.stringify(line);
    this.#charactersLeft -= text.length + 1;
    if (this.#charactersLeft >= 0) this.#sink.write(text);
    else this.#charactersLeft = 0;
  }
}
