import type { ModelToolCall } from '@calls/engine-ports/language-model';
import type { ToolOutcome } from '../tools/tool-outcome.ts';
import type { AgentEntry } from '../transcript/agent-entry.ts';

/** Receives what a committed response adds to the conversation. */
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
 * What one response adds to the conversation, in order. Buffered until the response is committed, then passed
 * to the sink. A segment is the text of one generation round.
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

  /** Opens the entry of the segment at this position. Idempotent. */
  openSegment(segment: number): void {
    if (this.#opened.has(segment)) return;
    this.#opened.add(segment);
    this.#write((sink) => this.#entries.set(segment, sink.openAgentEntry()));
  }

  /** The entry of the segment; undefined before the response is committed, or if the segment has no text. */
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

  /** Closes all entries: nothing more will be played. */
  close(): void {
    for (const entry of this.#entries.values()) entry.close();
  }

  #write(write: (sink: RecordSink) => void): void {
    if (this.#sink) write(this.#sink);
    else this.#waiting.push(write);
  }
}
