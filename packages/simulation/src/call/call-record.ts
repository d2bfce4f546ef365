import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { StageSpec } from '@calls/api-contract/call-spec';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { Message } from '@calls/api-contract/rest/message';

export interface RecordedLine {
  /** Time since the join. */
  atMs: number;
  who: 'caller' | 'agent' | 'tool call' | 'tool result';
  /** Arguments of a tool call, as JSON. */
  text: string;
  /** Name of the tool; null for other lines. */
  toolName: string | null;
}

export interface RecordedToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** What happened in a simulated call. */
export interface CallRecord {
  lines: readonly RecordedLine[];
  toolCalls: readonly RecordedToolCall[];
  /** Call state at the end. */
  state: Readonly<Record<string, unknown>>;
  /** Prompts of the stages after the first. */
  stagePrompts: readonly string[];
  endReason: EndReason | null;
  transferTo: string | null;
  /** Time from the caller's last speech to the first audio of the response, for each turn. */
  latenciesMs: readonly number[];
  interruptions: number;
  /** Call events with the severity `error`. */
  errors: readonly string[];
  /** Errors of the speech-to-text, language model and text-to-speech, each once. */
  engineErrors: readonly string[];
  durationMs: number;
}

type RecordedStage = Pick<StageSpec, 'systemPrompt' | 'initialState'>;

interface Row extends RecordedLine {
  invocationId: string | null;
}

/** Types of call events. */
const ENGINE_ERRORS: ReadonlySet<string> = new Set(['speech_input_error', 'response_error', 'voice_error']);

const ROLES: Readonly<Record<string, RecordedLine['who']>> = {
  MESSAGE_ROLE_USER: 'caller',
  MESSAGE_ROLE_AGENT: 'agent',
  MESSAGE_ROLE_TOOL_CALL: 'tool call',
  MESSAGE_ROLE_TOOL_RESULT: 'tool result',
};

/** Collects what happens in a call from its log. */
export class CallRecorder {
  readonly #rows = new Map<string, Row>();
  readonly #stagePrompts: string[] = [];
  readonly #latenciesMs: number[] = [];
  readonly #errors: string[] = [];
  readonly #engineErrors = new Set<string>();
  #interruptions = 0;
  #state: Record<string, unknown>;
  readonly #stages: ReadonlyMap<string, RecordedStage>;

  /** `stages`: filled as stages are made. */
  constructor(first: Pick<RecordedStage, 'initialState'>, stages: ReadonlyMap<string, RecordedStage>) {
    this.#stages = stages;
    this.#state = first.initialState;
  }

  add(entry: CallLogEntryBody, atMs: number): void {
    switch (entry.type) {
      case 'message_added':
        this.#addMessage(`${entry.stageId} ${entry.index}`, entry.message, atMs);
        break;
      case 'stage_began': {
        const stage = this.#stages.get(entry.stageId);
        this.#stagePrompts.push(stage?.systemPrompt ?? '');
        this.#state = entry.callState ?? stage?.initialState ?? {};
        break;
      }
      case 'noted':
        this.#note(entry);
        break;
      default:
        break;
    }
  }

  record(end: Pick<CallRecord, 'endReason' | 'transferTo' | 'durationMs'>): CallRecord {
    const rows = [...this.#rows.values()];
    return {
      ...end,
      lines: rows.map(({ atMs, who, text, toolName }) => ({ atMs, who, text, toolName })),
      toolCalls: rows.flatMap(({ who, text, toolName }) =>
        who === 'tool call' ? [{ name: toolName ?? '', arguments: argumentsOf(text) }] : [],
      ),
      state: this.#state,
      stagePrompts: this.#stagePrompts,
      latenciesMs: this.#latenciesMs,
      interruptions: this.#interruptions,
      errors: this.#errors,
      engineErrors: [...this.#engineErrors],
    };
  }

  /** A message with the place of an earlier one replaces it. */
  #addMessage(place: string, message: Message, atMs: number): void {
    const who = ROLES[message.role ?? 'MESSAGE_ROLE_USER'];
    if (message.callState) this.#state = message.callState;
    if (who === undefined) return;
    const { text = '', toolName = null, invocationId = null } = message;
    this.#rows.set(place, { atMs: this.#rows.get(place)?.atMs ?? atMs, who, text, toolName, invocationId });
  }

  #note({ eventType, severity, text, extras }: CallLogEntryBody & { type: 'noted' }): void {
    if (eventType === 'interrupted') this.#interruptions += 1;
    if (eventType === 'turn_latency') this.#latenciesMs.push(Number(extras?.['firstSoundMs']));
    if (severity === 'error') this.#errors.push(`${eventType}: ${text}`);
    if (ENGINE_ERRORS.has(eventType)) this.#engineErrors.add(`${eventType}: ${text}`);
  }
}

function argumentsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value));
  } catch {
    // The model wrote no JSON: no arguments match.
  }
  return {};
}
