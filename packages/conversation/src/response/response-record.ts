import type { ModelToolCall } from '../ports/language-model.ts';
import type { ToolOutcome } from '../tools/tool-outcome.ts';
import type { AgentEntry } from '../transcript/agent-entry.ts';

/** Where what an answer adds to the conversation goes once it counts. */
export interface RecordSink {
  openAgentEntry(): AgentEntry;
  toolCalled(call: ModelToolCall): void;
  toolReturned(
    call: ModelToolCall,
    outcome: ToolOutcome,
    times: { startedMs: number; endedMs: number },
  ): void;
}

/**
 * What one answer adds to the conversation, in order: nothing until it is committed, then what there is and all that comes.
 * A segment is what the answer says between two rounds of tools.
 */
export class ResponseRecord {
  #sink: RecordSink | null = null;
  #waiting: ((sink: RecordSink) => void)[] = [];
  readonly #opened = new Set<number>();
  readonly #entries = new Map<number, AgentEntry>();

  get committed(): boolean {
    return this.#sink !== null;
  }

  commit(sink: RecordSink): void {
    this.#sink = sink;
    for (const write of this.#waiting) write(sink);
    this.#waiting = [];
  }

  /** What is said in this segment comes here. Idempotent. */
  openSegment(segment: number): void {
    if (this.#opened.has(segment)) return;
    this.#opened.add(segment);
    this.#write((sink) => this.#entries.set(segment, sink.openAgentEntry()));
  }

  /** There once it is committed, where the segment says anything. */
  entry(segment: number): AgentEntry | undefined {
    return this.#entries.get(segment);
  }

  toolCalled(call: ModelToolCall): void {
    this.#write((sink) => sink.toolCalled(call));
  }

  toolReturned(
    call: ModelToolCall,
    outcome: ToolOutcome,
    times: { startedMs: number; endedMs: number },
  ): void {
    this.#write((sink) => sink.toolReturned(call, outcome, times));
  }

  /** Nothing more of it will be heard. */
  close(): void {
    for (const entry of this.#entries.values()) entry.close();
  }

  #write(write: (sink: RecordSink) => void): void {
    if (this.#sink) write(this.#sink);
    else this.#waiting.push(write);
  }
}
