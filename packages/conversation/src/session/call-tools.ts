import { KNOWLEDGE_EVENT } from '@calls/api-contract/bus/call-log-entry';
import { type CallToolSpec, type StageSpec, TRANSFERABLE_MEDIA } from '@calls/api-contract/call-spec';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { ModelToolCall } from '@calls/engine-ports/language-model';
import { newId } from '@calls/foundation/ids';
import type { GenerationTools } from '../response/tool-runs.ts';
import type { StageState } from '../tools/call-state.ts';
import { RemoteInvocations, type RemoteResult, type RemoteSide } from '../tools/remote-invocations.ts';
import { parseObject } from '../tools/parse-object.ts';
import type { Interruption } from '../tools/tool-interruption.ts';
import {
  toolFailed,
  type Retrieval,
  type InterruptionOutcome,
  type ToolAction,
  type ToolOutcome,
} from '../tools/tool-outcome.ts';
import { ToolRunner } from '../tools/tool-runner.ts';
import { storedMessageOf } from '../transcript/call-message.ts';
import type { ConversationLog } from '../transcript/conversation-log.ts';
import { plainText } from '../transcript/plain-text.ts';
import { MAX_RECENT_MESSAGES } from '../transcript/recent-messages.ts';
import { callEnd } from '../turn/transitions.ts';
import type { CallEnd } from '../turn/turn-types.ts';
import type { CallContext } from './call-context.ts';
import { UndoneCalls } from './undone-calls.ts';

export interface CallToolsOptions {
  context: CallContext;
  joinedAtMs: number;
  outputSampleRateHz: number;
  /** Whether the agent responds by voice now. */
  hasVoiceOutput: () => boolean;
  stage: () => { spec: StageSpec; state: StageState };
  log: ConversationLog;
  /** Ends the call after the current response, or at once if there is none. */
  hangUp: (end: CallEnd) => void;
  beginStage: (action: ToolAction & { kind: 'new_stage' }, toolName: string) => void;
}

/** Tokens stay valid this long after maxDuration, to cover a final message. */
const TOKEN_MARGIN_MS = 30_000;
/** Length limit of a passage in its retrieval event; the tool's result contains the whole passage. */
const MAX_EXCERPT_CHARS = 300;

/**
 * Runs the tools of one call, and reports their calls and results to the log, the client and the call events.
 */
export class CallTools implements GenerationTools {
  readonly #options: CallToolsOptions;
  readonly #context: CallContext;
  readonly #remote: RemoteInvocations;
  readonly #runner: ToolRunner;
  readonly #undone: UndoneCalls;
  /** The newest invocation ids that were chosen by the API or the client. */
  readonly #externalIds = new Set<string>();
  #closed = false;
  #running = 0;
  /** Stage state at the time of each call. */
  readonly #states = new WeakMap<ModelToolCall, StageState>();

  constructor(options: CallToolsOptions) {
    this.#options = options;
    this.#context = options.context;
    const { outputSampleRateHz, stage, log } = options;
    const { spec, services, callEvents, navigation, send } = options.context;
    const { clock } = services;
    for (const { invocationId } of log.messages) if (invocationId) this.#rememberId(invocationId);
    this.#remote = new RemoteInvocations(clock);
    this.#runner = new ToolRunner({
      call: {
        callId: spec.callId,
        accountId: spec.accountId,
        metadata: spec.metadata,
        sharedSecrets: spec.sharedSecrets,
        outputSampleRateHz,
        canTransfer: TRANSFERABLE_MEDIA.includes(spec.medium.kind),
        endsAtMs: options.joinedAtMs + spec.maxDurationMs + TOKEN_MARGIN_MS,
      },
      conversation: {
        hasVoiceOutput: options.hasVoiceOutput,
        stage,
        messages: () => log.messages.map(storedMessageOf),
      },
      peers: {
        transfer: options.context.transfer,
        warmTransfer: options.context.warmTransfer,
        sendDigits: options.context.sendDigits,
        untilSilent: (silenceMs, signal) => navigation.untilSilent(silenceMs, signal),
        waitForPrompt: (phrases) => navigation.wait(phrases),
        invoke: (side, call) => send({ type: INVOCATION[side], ...call }),
        warn: ({ name, id }, problem) =>
          callEvents.add('warning', 'tool_warning', problem, {
            toolName: name,
            invocationId: id,
          }),
      },
      services: services.tools,
      remote: this.#remote,
      clock,
    });
    this.#undone = new UndoneCalls({
      clock,
      run: (call, tool) => this.#run(call, new AbortController().signal, tool),
      recordCall: (call) => this.#recordCall(call, true),
      recordResult: (call, outcome, times) => this.recordResult(call, outcome, times),
      addBackgroundWork: services.tools.addBackgroundWork,
      onFailed: () => options.context.dispatch({ type: 'reply_wanted' }),
      onFatalError: options.context.fail,
    });
  }

  /** Whether a tool is running, including tools of interrupted responses. */
  get areRunning(): boolean {
    return this.#running > 0;
  }

  isPrecomputable(name: string): boolean {
    return this.#runner.isPrecomputable(name);
  }

  runsAfterSpeech(name: string): boolean {
    return this.#runner.runsAfterSpeech(name);
  }

  newInvocationId(requestedId?: string): string {
    if (requestedId === undefined || this.#externalIds.has(requestedId)) return newId();
    this.#rememberId(requestedId);
    return requestedId;
  }

  #rememberId(id: string): void {
    this.#externalIds.add(id);
    const [oldest] = this.#externalIds;
    if (oldest !== undefined && this.#externalIds.size > MAX_RECENT_MESSAGES)
      this.#externalIds.delete(oldest);
  }

  interruptionOf(name: string): Interruption | null {
    return this.#runner.interruptionOf(name);
  }

  untilUndone(name: string): Promise<void> | null {
    return this.#undone.untilUndone(name);
  }

  /** Never settles after `close`: no tool starts then, except to undo a call. */
  run(call: ModelToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    return this.#closed ? new Promise(() => undefined) : this.#run(call, signal);
  }

  #run(call: ModelToolCall, signal: AbortSignal, tool?: CallToolSpec): Promise<ToolOutcome> {
    this.#states.set(call, this.#options.stage().state);
    this.#running += 1;
    return this.#runner.run(call, signal, tool).finally(() => (this.#running -= 1));
  }

  /** Handles a tool result from the client or the data connection. */
  settle(side: RemoteSide, result: RemoteResult): void {
    if (!this.#remote.settle(side, result)) this.reportUnexpected(result);
  }

  /** Reports a tool result that no invocation is waiting for. */
  reportUnexpected({ invocationId }: RemoteResult): void {
    const text = 'A tool result arrived late or for an unknown invocation; it was ignored.';
    this.#context.callEvents.add('warning', 'tool_result_unexpected', text, { invocationId });
  }

  recordCall(call: ModelToolCall): void {
    this.#recordCall(call, false);
  }

  #recordCall(call: ModelToolCall, isOwn: boolean): void {
    this.#options.log.addToolCall(call, isOwn);
    this.#context.send({
      type: 'invoking_tool',
      toolName: call.name,
      invocationId: call.id,
      parameters: parametersOf(call),
    });
  }

  recordResult(
    call: ModelToolCall,
    outcome: ToolOutcome,
    { startedMs, endedMs }: { startedMs: number; endedMs: number },
  ): void {
    const { log, stage, beginStage } = this.#options;
    const { callEvents, send, callTimeMs, dispatch } = this.#context;
    const durationMs = Math.max(0, Math.round(endedMs - startedMs));
    const about = { toolName: call.name, invocationId: call.id };
    const changed = this.#updateState(call, outcome);
    const details = outcome.error?.details ?? null;
    log.addToolResult({
      call,
      text: outcome.text,
      errorDetails: details,
      callState: changed ? stage().state.value : null,
      startedAtMs: Math.max(0, callTimeMs() - durationMs),
    });
    const { error } = outcome;
    const ending = error ? { errorType: error.type } : { result: outcome.text };
    send({ type: 'tool_used', ...about, ...ending, durationMs });
    if (outcome.interrupted) return;
    if (details !== null)
      callEvents.add('warning', 'tool_error', details, { ...about, errorType: error?.type, durationMs });
    else
      callEvents.add('debug', 'tool_used', `The tool ${call.name} returned a result.`, {
        ...about,
        durationMs,
      });
    if (outcome.retrieval) this.#recordRetrieval(about, outcome.retrieval);
    if (outcome.action?.kind !== 'new_stage') return;
    beginStage(outcome.action, call.name);
    if (outcome.reaction !== 'listens') dispatch({ type: 'reply_wanted' });
  }

  #recordRetrieval(
    about: { toolName: string; invocationId: string },
    { corpusId, query, passages, durationMs }: Retrieval,
  ): void {
    const text = `Passages found in the knowledge base: ${passages.length}.`;
    this.#context.callEvents.add('info', KNOWLEDGE_EVENT, text, {
      ...about,
      ...{ corpusId, query, durationMs },
      passages: passages.map(({ content, score, citation }) => ({
        ...citation,
        score,
        excerpt: plainText(content, MAX_EXCERPT_CHARS),
      })),
    });
  }

  /**
   * For a session that continues a call: records a failure for each call whose result no earlier session received.
   * Otherwise the model would wait for it.
   */
  recordLostResults(): void {
    const { log, stage } = this.#options;
    const { spec, services } = this.#context;
    const initial = [...spec.firstStage.initialMessages, ...stage().spec.initialMessages];
    const settled = [...initial, ...log.messages.filter(({ role }) => role === 'tool_result')];
    const known = new Set(settled.map(({ invocationId }) => invocationId));
    const nowMs = services.clock.nowMs();
    for (const { role, invocationId: id = '', toolName: name = '', text = '' } of log.messages) {
      if (role !== 'tool_call' || known.has(id)) continue;
      const call = { id, name, arguments: text };
      this.recordResult(call, toolFailed(LOST_RESULT, 'listens'), { startedMs: nowMs, endedMs: nowMs });
    }
  }

  onInterrupted(
    call: ModelToolCall,
    interrupted: InterruptionOutcome,
    undo: CallToolSpec | null,
    returned: ToolOutcome | Promise<ToolOutcome>,
  ): void {
    const about = { toolName: call.name, invocationId: call.id, action: interrupted };
    this.#context.callEvents.add('info', 'tool_interrupted', INTERRUPTED[interrupted], about);
    if (interrupted === 'undone' && undo) this.#undone.undo(call, undo, returned);
  }

  /** Handles a tool that finished after its response was interrupted. */
  onLateOutcome({ id }: ModelToolCall, { action, reaction }: ToolOutcome): void {
    if (action?.kind === 'final_message') this.end(action.text);
    else if (action?.kind === 'user_returns')
      this.#context.dispatch({ type: 'agent_unmuted', reason: 'transfer' });
    else if (action?.kind === 'hang_up') {
      // An interruption by the user counts as their response.
      if (!action.unlessAnswered) this.#options.hangUp(callEnd('agent_hangup', action));
    } else if (!action && reaction === 'speaks' && this.#isInHistory(id)) {
      this.#context.dispatch({ type: 'reply_wanted' });
    }
  }

  /** Whether the model sees the call: a later stage may have replaced the history. */
  #isInHistory(id: string): boolean {
    return this.#options.log.messages.some(
      ({ role, invocationId }) => role === 'tool_call' && invocationId === id,
    );
  }

  /** Plays a final message, if any, and ends the call. */
  end(message: string): void {
    this.#context.dispatch({ type: 'ending', words: message, reason: 'agent_hangup' });
  }

  close(): void {
    this.#closed = true;
    this.#undone.close();
    this.#remote.close();
    this.#runner.close();
  }

  #updateState(call: ModelToolCall, { updateCallState }: ToolOutcome): boolean {
    if (!updateCallState) return false;
    const { stage } = this.#options;
    const { callEvents } = this.#context;
    const { state } = stage();
    const about = { toolName: call.name, invocationId: call.id };
    if (this.#states.get(call) !== state) {
      const text = 'A tool of an earlier stage returned too late to change the call state.';
      callEvents.add('warning', 'call_state_outdated', text, about);
      return false;
    }
    if (state.update(updateCallState)) return true;
    callEvents.add(
      'warning',
      'call_state_too_large',
      'The call state exceeds its size limit; the update was ignored.',
      about,
    );
    return false;
  }
}

const LOST_RESULT = 'the connection was interrupted, so the result is lost; the tool may have done its work';

const INTERRUPTED: Readonly<Record<InterruptionOutcome, string>> = {
  not_started: 'The user spoke again before a tool started; it will not run.',
  cancelled: 'The user spoke again while a tool ran; its request was aborted.',
  undone: 'The user spoke again while a tool ran, or after it; another tool undoes it.',
};

const INVOCATION = {
  client: 'client_tool_invocation',
  dataConnection: 'data_connection_tool_invocation',
} as const satisfies Record<RemoteSide, ServerMessage['type']>;

function parametersOf(call: ModelToolCall): Record<string, unknown> {
  // Invalid arguments are reported when the tool runs.
  return parseObject(call.arguments) ?? {};
}
