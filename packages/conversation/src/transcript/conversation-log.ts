import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CallState } from '@calls/api-contract/call-spec';
import type { MessageMedium, TranscriptMessage } from '@calls/api-contract/data-messages/server-messages';
import { msToDuration } from '@calls/api-contract/duration';
import type { ModelToolCall, TokenUsage } from '@calls/engine-ports/language-model';
import type { CallSnapshot, CutOffResponse } from '../session/call-snapshot.ts';
import { AgentEntry } from './agent-entry.ts';
import { INSTRUCTION_ROLE, storedMessageOf, type CallMessage } from './call-message.ts';
import { historyEntryOf, type HistoryEntry } from './history.ts';
import { MAX_ERROR_DETAILS_CHARS, plainText, plainToolName } from './plain-text.ts';
import { RecentMessages } from './recent-messages.ts';
import { RecentTranscript } from './recent-transcript.ts';
import { transcript } from './transcript-message.ts';

export interface ConversationLogOptions {
  start: CallSnapshot;
  /** Whether an earlier session of the call exists. */
  resumed: boolean;
  /** Milliseconds since the join. */
  callTimeMs: () => number;
  /** Token usage of the call so far. */
  usage: () => TokenUsage;
  send: (message: TranscriptMessage) => void;
  emit: (body: CallLogEntryBody) => void;
}

/** A tool result for the history. */
export interface ToolResultEntry {
  call: ModelToolCall;
  text: string;
  errorDetails: string | null;
  /** The state after the call; null if unchanged. */
  callState: CallState | null;
  startedAtMs: number;
}

/** A pending write; executed after all earlier ones. */
interface Slot {
  closed: boolean;
  write: () => void;
}

/** The user's newest spoken message. */
interface UserMessage {
  ordinal: number;
  text: string;
  /** The text when the newest tool was called; empty if none was. */
  beforeTools: string;
  startedAtMs: number;
  stageId: string;
  /** Null while an earlier response is still playing. */
  written: CallMessage | null;
}

/**
 * The conversation as far as it was played, including tool calls and results. Model history, stage messages and
 * live transcript are views of it. An entry that is still playing delays the ones after it. Ordinals are dense
 * and assigned when an entry is first shown.
 */
export class ConversationLog {
  readonly #options: ConversationLogOptions;
  readonly #slots: Slot[] = [];
  readonly #messages: RecentMessages;
  readonly #shown: RecentTranscript;
  #newestTurn: UserMessage | null = null;
  #cutOff: CutOffResponse | null;
  #stageId: string;
  #nextOrdinal: number;
  #nextIndex: number;
  /** Usage in the last published message. */
  #reportedUsage: TokenUsage;

  constructor(options: ConversationLogOptions) {
    this.#options = options;
    const { stage, messages, nextIndex, nextOrdinal, shown, cutOff, usage } = options.start;
    this.#cutOff = cutOff;
    this.#stageId = stage.stageId;
    this.#messages = new RecentMessages(messages);
    this.#shown = new RecentTranscript(shown);
    this.#nextIndex = nextIndex;
    this.#nextOrdinal = nextOrdinal;
    this.#reportedUsage = usage;
  }

  /** Adds the initial messages. */
  begin(messages: readonly CallMessage[]): void {
    for (const message of messages) this.#add(message);
  }

  /** History for the model. */
  get history(): readonly HistoryEntry[] {
    const turn = this.#newestTurn;
    return this.messages.flatMap((message) => {
      const entry = historyEntryOf(message) ?? [];
      if (message !== turn?.written || !('text' in entry) || entry.role !== 'user') return entry;
      return { ...entry, beforeTools: plainText(turn.beforeTools) };
    });
  }

  /** Messages of the stage (see RecentMessages). */
  get messages(): readonly CallMessage[] {
    return this.#messages.all;
  }

  /** The part of the agent's newest message that was not delivered. */
  set cutOff(missing: CutOffResponse) {
    this.#cutOff = missing;
  }

  /** Complete if no entry is open. */
  get position(): Pick<CallSnapshot, 'messages' | 'nextIndex' | 'nextOrdinal' | 'shown' | 'cutOff'> {
    return {
      cutOff: this.#cutOff,
      messages: [...this.messages],
      nextIndex: this.#nextIndex,
      nextOrdinal: this.#nextOrdinal,
      shown: [...this.#shown.newest],
    };
  }

  /** `continues`: append to the user's previous message if it belongs to this stage. */
  addUserMessage(text: string, medium: MessageMedium, startedAtMs: number, continues = false): void {
    if (continues && this.#continueTurn(text)) return;
    const turn: UserMessage = {
      ordinal: this.#takeOrdinal(),
      text,
      beforeTools: '',
      startedAtMs,
      stageId: this.#stageId,
      written: null,
    };
    this.#newestTurn = medium === 'voice' ? turn : null;
    this.#options.send(transcript('user', medium, turn.ordinal, { text }, true));
    const times = this.#times(startedAtMs);
    this.#write(() => {
      turn.written = this.#addOwn({
        role: 'user',
        text: turn.text,
        medium,
        ...times,
      });
    });
  }

  /** Adds what a supervisor said to the user in place of the agent. */
  addSupervisorMessage(text: string, startedAtMs: number): void {
    this.#options.send(transcript('agent', 'voice', this.#takeOrdinal(), { text }, true));
    const times = this.#times(startedAtMs);
    this.#write(() => this.#addOwn({ role: 'agent', text, medium: 'voice', ...times }));
  }

  /** Adds an instruction to the agent. The user does not see it. */
  addInstruction(text: string): void {
    const times = this.#times(this.#options.callTimeMs());
    this.#write(() => this.#add({ role: INSTRUCTION_ROLE, text, medium: 'text', ...times }));
  }

  /** Opens an entry of the agent; it is shown with its first words. */
  openAgentEntry(medium: MessageMedium): AgentEntry {
    const slot: Slot = { closed: false, write: () => undefined };
    this.#slots.push(slot);
    return new AgentEntry(medium, {
      takeOrdinal: () => this.#takeOrdinal(),
      callTimeMs: this.#options.callTimeMs,
      replaces: this.#options.resumed,
      send: this.#options.send,
      closed: (text, startedAtMs) => {
        slot.closed = true;
        if (text !== '') {
          const times = this.#times(startedAtMs);
          slot.write = () => this.#addOwn({ role: 'agent', text, medium, ...times });
        }
        this.#drain();
      },
    });
  }

  /** `isOwn`: the service itself calls the tool, regardless of what the user said. */
  addToolCall(call: ModelToolCall, isOwn: boolean): void {
    const { id: invocationId, name: toolName } = call;
    if (this.#newestTurn && !isOwn) this.#newestTurn.beforeTools = this.#newestTurn.text;
    const times = this.#times(this.#options.callTimeMs());
    this.#write(() =>
      this.#add({
        role: 'tool_call',
        text: call.arguments,
        invocationId,
        toolName,
        ...times,
      }),
    );
  }

  addToolResult({ call, text, errorDetails, callState, startedAtMs }: ToolResultEntry): void {
    const { id: invocationId, name: toolName } = call;
    const times = this.#times(startedAtMs);
    this.#write(() =>
      this.#add({
        role: 'tool_result',
        text,
        invocationId,
        toolName,
        ...(errorDetails !== null && { errorDetails }),
        ...(callState && { callState }),
        ...times,
      }),
    );
  }

  /**
   * Starts a stage after all pending entries. Null messages: it continues with the current ones. Calls `begun`
   * then.
   */
  beginStage(
    stageId: string,
    initialMessages: readonly CallMessage[] | null,
    begun: (messageCount: number) => void,
  ): void {
    this.#write(() => {
      const messages = initialMessages ?? [...this.messages];
      this.#stageId = stageId;
      this.#nextIndex = 0;
      this.#messages.clear();
      for (const message of messages) this.#add(message);
      begun(messages.length);
    });
  }

  #continueTurn(text: string): boolean {
    const turn = this.#newestTurn;
    if (turn?.stageId !== this.#stageId) return false;
    turn.text = `${turn.text} ${text}`;
    this.#options.send(transcript('user', 'voice', turn.ordinal, { text: turn.text }, true));
    if (turn.written) {
      const message = { ...turn.written, ...storable({ text: turn.text }), ...this.#times(turn.startedAtMs) };
      this.#messages.replace(message);
      this.#shown.replace(turn.written, message);
      turn.written = message;
      this.#emitMessage(message);
    }
    return true;
  }

  #takeOrdinal(): number {
    const ordinal = this.#nextOrdinal;
    this.#nextOrdinal += 1;
    return ordinal;
  }

  #write(write: () => void): void {
    this.#slots.push({ closed: true, write });
    this.#drain();
  }

  #drain(): void {
    while (this.#slots[0]?.closed) this.#slots.shift()?.write();
  }

  #times(startedAtMs: number): Pick<CallMessage, 'timespan' | 'wallClockTimespan'> {
    const endMs = this.#options.callTimeMs();
    const startMs = Math.min(startedAtMs, endMs);
    const { joinedAtMs } = this.#options.start;
    return {
      timespan: { start: msToDuration(startMs), end: msToDuration(endMs) },
      wallClockTimespan: { start: msToDuration(joinedAtMs + startMs), end: msToDuration(joinedAtMs + endMs) },
    };
  }

  /** Adds a message spoken or written in this call. */
  #addOwn(given: CallMessage): CallMessage {
    const message = this.#add(given);
    if (message.role === 'agent') this.#cutOff = null;
    this.#shown.add(message);
    return message;
  }

  #add(given: CallMessage): CallMessage {
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    const message = { ...storable(given), callStageMessageIndex: index, callStageId: this.#stageId };
    this.#messages.push(message);
    this.#emitMessage(message);
    return message;
  }

  /** Publishes a message; one with a known index replaces the earlier one. */
  #emitMessage(message: CallMessage): void {
    const usage = this.#options.usage();
    const isNew =
      usage.inputTokens !== this.#reportedUsage.inputTokens ||
      usage.outputTokens !== this.#reportedUsage.outputTokens;
    this.#reportedUsage = usage;
    const usageField = isNew ? { usage } : {};
    const index = message.callStageMessageIndex ?? 0;
    const stored = storedMessageOf(message);
    this.#options.emit({
      type: 'message_added',
      stageId: this.#stageId,
      index,
      message: stored,
      ...usageField,
    });
  }
}

/** Limits a message to the length and the characters that rows allow. */
function storable(message: CallMessage): CallMessage {
  const { text, toolName, errorDetails } = message;
  return {
    ...message,
    ...(text !== undefined && { text: plainText(text) }),
    ...(toolName !== undefined && { toolName: plainToolName(toolName) }),
    ...(errorDetails !== undefined && { errorDetails: plainText(errorDetails, MAX_ERROR_DETAILS_CHARS) }),
  };
}
