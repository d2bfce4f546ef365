import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { ModelToolCall } from '@calls/engine-ports/language-model';
import type { Clock } from '@calls/foundation/clock';
import { interruptedOutcome, type Interruption, type InterruptedCalls } from '../tools/tool-interruption.ts';
import { toolFailed, type InterruptionOutcome, type ToolOutcome } from '../tools/tool-outcome.ts';
import { plainText, plainToolName } from '../transcript/plain-text.ts';
import type { ResponseRecord } from './response-record.ts';

/** Tool access of a generation. */
export interface GenerationTools {
  /** Returns the id of a new invocation: `requested` unless it is taken. */
  newInvocationId(requested?: string): string;
  /** Runs a tool. Rejects only when `signal` aborts. */
  run(call: ModelToolCall, signal: AbortSignal): Promise<ToolOutcome>;
  /** Whether the tool may run before the response is committed. */
  isPrecomputable(name: string): boolean;
  /** Whether the tool runs only after the agent's speech before it is played. */
  runsAfterSpeech(name: string): boolean;
  /** What happens to a call of the tool when the user interrupts it while it runs. Null: it continues. */
  interruptionOf(name: string): Interruption | null;
  /** Resolves when earlier calls of the tool that are being undone are undone. Null: there are none. */
  untilUndone(name: string): Promise<void> | null;
  /** Called when the user interrupts a call. If `undo` is set, it must run once the tool has `returned`. */
  onInterrupted(
    call: ModelToolCall,
    interrupted: InterruptionOutcome,
    undo: CallToolSpec | null,
    returned: ToolOutcome | Promise<ToolOutcome>,
  ): void;
  /** Called when a tool finishes after its response was interrupted. */
  onLateOutcome(call: ModelToolCall, outcome: ToolOutcome): void;
}

export interface ToolRun {
  call: ModelToolCall;
  /** Rejects only if the response is discarded. */
  outcome: Promise<ToolOutcome>;
}

interface Run extends ToolRun {
  /** Why it does not run; null if it does. */
  refusal: string | null;
  interruption: Interruption | null;
  phase: 'waiting' | 'running' | 'returned' | 'interrupted';
  startedMs: number;
  /** Resolves when the tool returns. `returned` is the same outcome, or null before. */
  returns: PromiseWithResolvers<ToolOutcome>;
  returned: ToolOutcome | null;
  /** Whether the user's current speech began before it returned. */
  overlapped: boolean;
  abort: AbortController;
  /** Resolves with the result of a call that is interrupted. */
  interrupted: PromiseWithResolvers<ToolOutcome>;
}

export interface ToolRunsOptions {
  tools: GenerationTools;
  record: ResponseRecord;
  clock: Clock;
  /** Resolves when the response is committed. */
  committed: Promise<unknown>;
  /** Resolves when the speech of the current round is played, or the generation is aborted. */
  spoken: () => Promise<unknown>;
  isAborted: () => boolean;
  /** Called with whether any tool runs, on each change. */
  onRunning: (running: boolean) => void;
  onOutcome: (outcome: ToolOutcome) => void;
}

/**
 * The tool calls of one generation. Calls that are not precomputable start when the response is committed, unless the
 * user may be interrupting it.
 */
export class ToolRuns {
  readonly #options: ToolRunsOptions;
  readonly #runs: Run[] = [];
  /** Pending while the user may be interrupting. */
  #hold: PromiseWithResolvers<undefined> | null = null;
  #unsettled = 0;

  constructor(options: ToolRunsOptions) {
    this.#options = options;
  }

  get anyRuns(): boolean {
    return this.#unsettled > 0;
  }

  /** `refusal`: why the call does not run; the model gets it as the result. */
  call(
    name: string,
    written: string,
    { requestedId, refusal = null }: { requestedId?: string; refusal?: string | null } = {},
  ): ToolRun {
    const { tools, record } = this.#options;
    const id = tools.newInvocationId(requestedId);
    const call = { id, name: plainToolName(name), arguments: plainText(written) };
    record.toolCalled(call);
    const interrupted = Promise.withResolvers<ToolOutcome>();
    const run: Run = {
      call,
      refusal,
      interruption: tools.interruptionOf(call.name),
      phase: 'waiting',
      startedMs: 0,
      returns: Promise.withResolvers<ToolOutcome>(),
      returned: null,
      overlapped: false,
      abort: new AbortController(),
      interrupted,
      outcome: interrupted.promise,
    };
    this.#runs.push(run);
    this.#countUnsettled(1);
    run.outcome = Promise.race([this.#run(run), interrupted.promise]).finally(() => this.#countUnsettled(-1));
    // Rejects only if the response is discarded. Then nothing awaits it.
    run.outcome.catch(() => undefined);
    return run;
  }

  /** Speech may turn out to be an interruption: no tool starts until `release`. */
  hold(): void {
    this.#hold ??= Promise.withResolvers<undefined>();
    for (const run of this.#runs) run.overlapped = run.phase === 'running';
  }

  release(): void {
    for (const run of this.#runs) run.overlapped = false;
    this.#hold?.resolve(undefined);
    this.#hold = null;
  }

  /**
   * Called when the user interrupts the response. Calls that have not started never start; running ones end as their
   * tools specify.
   */
  interruptCalls(what: InterruptedCalls): void {
    for (const run of this.#runs) {
      const how = outcomeOfInterruption(run, what);
      if (how) this.#interrupt(run, how);
    }
  }

  /** The response was discarded before it was committed. */
  discard(): void {
    for (const { abort } of this.#runs) abort.abort(new Error('generation discarded'));
  }

  #interrupt(run: Run, how: InterruptionOutcome): void {
    const { tools, record, clock } = this.#options;
    const { call, phase } = run;
    run.phase = 'interrupted';
    tools.onInterrupted(call, how, run.interruption?.undo ?? null, run.returned ?? run.returns.promise);
    if (phase === 'returned') return;
    const outcome = interruptedOutcome(how);
    const endedMs = clock.nowMs();
    const startedMs = phase === 'running' ? run.startedMs : endedMs;
    record.toolReturned(call, outcome, { startedMs, endedMs });
    run.interrupted.resolve(outcome);
    if (how === 'cancelled') run.abort.abort(new Error('tool call cancelled'));
  }

  async #run(run: Run): Promise<ToolOutcome> {
    const { tools, record, clock, isAborted, onOutcome } = this.#options;
    const { call } = run;
    await this.#untilStart(call);
    if (isInterrupted(run)) return run.interrupted.promise;
    run.phase = 'running';
    run.startedMs = clock.nowMs();
    const outcome =
      run.refusal === null ? await tools.run(call, run.abort.signal) : toolFailed(run.refusal, 'speaks');
    run.returned = outcome;
    run.returns.resolve(outcome);
    if (isInterrupted(run)) return run.interrupted.promise;
    run.phase = 'returned';
    record.toolReturned(call, outcome, { startedMs: run.startedMs, endedMs: clock.nowMs() });
    onOutcome(outcome);
    if (isAborted() && record.committed) tools.onLateOutcome(call, outcome);
    return outcome;
  }

  async #untilStart({ name }: ModelToolCall): Promise<void> {
    const { tools, committed, spoken } = this.#options;
    const isPrecomputable = tools.isPrecomputable(name);
    if (!isPrecomputable) await committed;
    if (tools.runsAfterSpeech(name)) await spoken();
    await tools.untilUndone(name);
    while (this.#hold && !isPrecomputable) await this.#hold.promise;
  }

  #countUnsettled(change: 1 | -1): void {
    const ran = this.#unsettled > 0;
    this.#unsettled += change;
    const runs = this.#unsettled > 0;
    if (runs !== ran) this.#options.onRunning(runs);
  }
}

function outcomeOfInterruption(
  { phase, interruption, overlapped }: Run,
  what: InterruptedCalls,
): InterruptionOutcome | null {
  switch (phase) {
    case 'waiting':
      return 'not_started';
    case 'running':
      return interruption && (interruption.cancels ? 'cancelled' : 'undone');
    case 'returned':
      return interruption?.undo && (overlapped || what === 'turn') ? 'undone' : null;
    case 'interrupted':
      return null;
  }
}

function isInterrupted({ phase }: Run): boolean {
  return phase === 'interrupted';
}
