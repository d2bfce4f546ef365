import type { ModelToolCall } from '@calls/engine-ports/language-model';
import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { newId } from '@calls/foundation/ids';
import { undoArguments } from '../tools/tool-interruption.ts';
import type { ToolOutcome } from '../tools/tool-outcome.ts';

export interface UndoneCallsOptions {
  clock: Clock;
  run: (call: ModelToolCall, tool: CallToolSpec) => Promise<ToolOutcome>;
  recordCall: (call: ModelToolCall) => void;
  recordResult: (
    call: ModelToolCall,
    outcome: ToolOutcome,
    times: { startedMs: number; endedMs: number },
  ) => void;
  /** See ToolServices. */
  addBackgroundWork: (work: Promise<void>) => void;
  /** A call could not be undone, so its effect stands. */
  onFailed: () => void;
  onFatalError: (error: Error) => void;
}

/** Undoes tool calls that the user interrupted, even after the end of the call. */
export class UndoneCalls {
  readonly #options: UndoneCallsOptions;
  /** By tool name: resolves when all interrupted calls of the tool are undone. */
  readonly #pending = new Map<string, Promise<void>>();
  #closed = false;

  constructor(options: UndoneCallsOptions) {
    this.#options = options;
  }

  /** See GenerationTools. */
  untilUndone(name: string): Promise<void> | null {
    return this.#pending.get(name) ?? null;
  }

  /** Runs `undo` at once, or when the call has returned. A call that failed is not undone. */
  undo(call: ModelToolCall, undo: CallToolSpec, returned: ToolOutcome | Promise<ToolOutcome>): void {
    const { name } = call;
    const earlier = this.#pending.get(name);
    const undone =
      returned instanceof Promise
        ? returned.then((outcome) => this.#undo(call, undo, outcome))
        : this.#undo(call, undo, returned);
    const done = Promise.all([earlier, undone])
      .catch((thrown: unknown) => this.#options.onFatalError(toError(thrown)))
      .then(() => {
        if (this.#pending.get(name) === done) this.#pending.delete(name);
      });
    this.#pending.set(name, done);
    this.#options.addBackgroundWork(done);
  }

  /** Stops recording. Calls are still undone. */
  close(): void {
    this.#closed = true;
  }

  async #undo(call: ModelToolCall, undo: CallToolSpec, outcome: ToolOutcome): Promise<void> {
    const { clock, run, recordCall, recordResult, onFailed } = this.#options;
    if (outcome.error) return;
    const written = JSON.stringify(undoArguments(undo, call, outcome));
    const undoing = { id: newId(), name: undo.name, arguments: written };
    const startedMs = clock.nowMs();
    if (!this.#closed) recordCall(undoing);
    const undone = await run(undoing, undo);
    if (this.#closed) return;
    recordResult(undoing, undone, { startedMs, endedMs: clock.nowMs() });
    if (undone.error) onFailed();
  }
}
