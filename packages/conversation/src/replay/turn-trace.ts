import type { CallSpec } from '@calls/api-contract/call-spec';
import type { CallTraces, TraceSink } from '../ports/call-traces.ts';
import type { TurnEffect, TurnEvent, TurnState } from '../turn/turn-types.ts';
import type { TraceHeader, TraceStep } from './trace.ts';

/** Maximum length of a trace; enough for several hours of conversation. */
const MAX_CHARACTERS = 2_000_000;

export interface TurnTraceOptions {
  call: Pick<CallSpec, 'accountId' | 'callId' | 'retention'>;
  initial: TurnState;
  /** Whether an earlier session of the call exists. */
  resumed: boolean;
  /** Milliseconds since the join. */
  callTimeMs: () => number;
}

/** Records the events and effects of the turn reducer for replay. */
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

  /** Null if tracing is off or the call must not be stored, as traces contain transcripts. */
  static open(traces: CallTraces | null, options: TurnTraceOptions): TurnTrace | null {
    if (!traces || options.call.retention === 'zdr') return null;
    const { call, resumed } = options;
    return new TurnTrace(resumed ? traces.resume(call) : traces.open(call), options);
  }

  /** `effects`: null if the reducer threw. */
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

  /** Drops everything from the first line that exceeds the limit. */
  #write(line: TraceHeader | TraceStep): void {
    const text = JSON.stringify(line);
    this.#charactersLeft -= text.length + 1;
    if (this.#charactersLeft >= 0) this.#sink.write(text);
    else this.#charactersLeft = 0;
  }
}
