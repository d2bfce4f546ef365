import type { CallTraces, TraceSink } from '@calls/conversation/ports/call-traces';
import type { CallRef } from '@calls/conversation/ports/recordings';

/** Stores traces in memory, by call. */
export class ScriptedTraces implements CallTraces {
  readonly textByCall = new Map<string, string>();
  /** How traces ended, in order. */
  readonly ends: ('closed' | 'left' | 'finished')[] = [];

  open({ callId }: CallRef): TraceSink {
    this.textByCall.set(callId, '');
    return this.#sink(callId);
  }

  resume({ callId }: CallRef): TraceSink {
    return this.#sink(callId);
  }

  finish(): Promise<void> {
    return this.#end('finished');
  }

  #sink(callId: string): TraceSink {
    return {
      write: (line) => this.textByCall.set(callId, `${this.textByCall.get(callId) ?? ''}${line}\n`),
      close: () => this.#end('closed'),
      suspend: () => this.#end('left'),
    };
  }

  #end(how: (typeof this.ends)[number]): Promise<void> {
    this.ends.push(how);
    return Promise.resolve();
  }
}
