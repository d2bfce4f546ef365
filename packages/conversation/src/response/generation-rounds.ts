import type { ForcedToolCall } from '@calls/api-contract/data-messages/forced-agent-message';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type {
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelToolCall,
  TokenUsage,
} from '../ports/language-model.ts';
import type { ToolConsequence, ToolOutcome } from '../tools/tool-outcome.ts';
import { plainText, plainToolName } from '../transcript/plain-text.ts';
import type { ResponseRecord } from './response-record.ts';

/** Where the words of an answer come from. `request`: what a model is asked, at the first step or after the tools that are called. */
export type TextSource =
  | { kind: 'model'; request: ModelRequest }
  | { kind: 'words'; text: string; toolCalls: readonly ForcedToolCall[]; request: ModelRequest };

/** What the tools of an answer need. */
export interface GenerationTools {
  /** Of a call that is to be made: `wanted`, where nothing had it before. */
  newInvocationId(wanted?: string): string;
  /** Never rejects, but for `signal`. */
  run(call: ModelToolCall, signal: AbortSignal): Promise<ToolOutcome>;
  /** Whether the tool may run for an answer that may never be heard. */
  isPrecomputable(name: string): boolean;
  /** A tool answered when the answer that called it had been given up. */
  onLateOutcome(outcome: ToolOutcome): void;
}

export interface GenerationTimes {
  startedMs: number;
  firstTokenMs: number | null;
  firstAudioMs: number | null;
}

export interface GenerationRoundsOptions {
  source: TextSource;
  languageModel: LanguageModel;
  tools: GenerationTools;
  record: ResponseRecord;
  clock: Clock;
  onFault: (fault: Error) => void;
  /** What one request to the model took, as soon as it is known and the response committed. */
  onUsage: (usage: TokenUsage) => void;
  /** Whether any of its tools runs, whenever that changes while the response is committed and not given up. */
  onToolsRunning: (running: boolean) => void;
  /** What tools ask for besides words, as soon as it is known and the answer committed; the first of them, and no other. */
  onConsequence: (consequence: ToolConsequence) => void;
}

/** One round: words, then what tools make heard. */
export interface GenerationRound {
  segment: number;
  /** To be read to its end. */
  texts: AsyncIterable<string>;
}

interface ToolRun {
  call: ModelToolCall;
  outcome: Promise<ToolOutcome>;
}

/** Rounds of tools in one answer; after the last the model has to do without. */
const MAX_TOOL_ROUNDS = 10;
const MAX_CALLS_PER_ROUND = 16;
/** More pieces than the longest answer has. */
const MAX_PIECES = 32_768;

/**
 * The rounds of one answer: the model (or given words), the tools that it calls, the model again with what they answered,
 * until it calls none or none of them is to be spoken about. Tools start as soon as they are called, side by side, while the
 * words before them are spoken; those that are not precomputable wait until the answer is committed.
 */
export class GenerationRounds {
  readonly times: GenerationTimes;
  /** What `onConsequence` was told. */
  consequence: ToolConsequence | null = null;
  /** Some of what it was to say is missing. */
  failed = false;
  /** Tools that were called and have not settled. */
  #unsettled = 0;
  #usage = { inputTokens: 0, outputTokens: 0 };
  readonly #options: GenerationRoundsOptions;
  readonly #abort = new AbortController();
  /** Stops tools too: nobody will ever know that they were called. */
  readonly #discard = new AbortController();
  readonly #committed = Promise.withResolvers<undefined>();
  /** What it adds to the request as it goes on. */
  readonly #own: ModelMessage[] = [];

  constructor(options: GenerationRoundsOptions) {
    this.#options = options;
    this.times = { startedMs: options.clock.nowMs(), firstTokenMs: null, firstAudioMs: null };
  }

  get usage(): TokenUsage {
    return this.#usage;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  commit(): void {
    this.#committed.resolve(undefined);
    if (this.#unsettled > 0) this.#options.onToolsRunning(true);
  }

  /** Part of the answer could not be made. */
  fail(thrown: unknown): void {
    this.failed = true;
    if (!this.signal.aborted) this.#options.onFault(toError(thrown));
  }

  /** Stops all work; tools that a committed answer has called go on by themselves. Idempotent. */
  abort(): void {
    this.#abort.abort(new Error('answer dropped'));
    if (!this.#options.record.committed) this.#discard.abort(new Error('answer discarded'));
  }

  /** `onSound`: something to be heard after the words of the round. */
  async *run(onSound: (samples: Int16Array) => void): AsyncGenerator<GenerationRound, void, undefined> {
    for (let segment = 0; ; segment += 1) {
      const texts = new BoundedQueue<string>(MAX_PIECES, 'drop-newest');
      const round = this.#begin(segment, texts);
      yield { segment, texts };
      const { said, runs } = await round;
      if (runs.length === 0) return;
      const outcomes = await this.#settled(runs);
      if (!outcomes) return;
      for (const { sound } of outcomes) if (sound) onSound(sound);
      const spoke = said.trim() !== '';
      const speaks = outcomes.some(
        ({ reaction }) => reaction === 'speaks' || (reaction === 'speaks-once' && !spoke),
      );
      if (!speaks || this.failed || outcomes.some(({ consequence }) => consequence)) return;
      this.#own.push(
        { role: 'assistant', content: said, toolCalls: runs.map(({ call }) => call) },
        ...runs.map(({ call }, i): ModelMessage => {
          return { role: 'tool', toolCallId: call.id, content: outcomes[i]?.text ?? '' };
        }),
      );
    }
  }

  #begin(segment: number, texts: BoundedQueue<string>): Promise<{ said: string; runs: ToolRun[] }> {
    const { source, record } = this.#options;
    if (segment === 0 && source.kind === 'words') {
      const text = plainText(source.text);
      if (text !== '') record.openSegment(segment);
      texts.push(text);
      texts.close();
      const runs = source.toolCalls.map(({ id, name, arguments: values }) =>
        this.#call(name, JSON.stringify(values), id),
      );
      return Promise.resolve({ said: text, runs });
    }
    return this.#ask(segment, texts);
  }

  async #ask(segment: number, texts: BoundedQueue<string>): Promise<{ said: string; runs: ToolRun[] }> {
    const { languageModel, record, clock } = this.#options;
    const runs: ToolRun[] = [];
    let said = '';
    try {
      for await (const chunk of languageModel.respond(this.#request(segment), this.signal)) {
        this.signal.throwIfAborted();
        switch (chunk.type) {
          case 'text':
            this.times.firstTokenMs ??= clock.nowMs();
            record.openSegment(segment);
            said += chunk.text;
            texts.push(chunk.text);
            break;
          case 'tool_call':
            this.times.firstTokenMs ??= clock.nowMs();
            // The model's own ids may come again in a later answer.
            if (runs.length < this.#mayCall(segment))
              runs.push(this.#call(chunk.call.name, chunk.call.arguments));
            break;
          case 'usage':
            this.#count(chunk);
            break;
        }
      }
    } catch (thrown) {
      // What the model said before it failed is still worth hearing.
      this.fail(thrown);
    }
    texts.close();
    return { said, runs };
  }

  #count({ inputTokens, outputTokens }: TokenUsage): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + inputTokens,
      outputTokens: this.#usage.outputTokens + outputTokens,
    };
    void this.#committed.promise.then(() => this.#options.onUsage({ inputTokens, outputTokens }));
  }

  #request(segment: number): ModelRequest {
    const { source } = this.#options;
    const { tools = [], ...request } = source.request;
    return {
      ...request,
      messages: [...request.messages, ...this.#own],
      ...(tools.length > 0 && this.#mayCall(segment) > 0 && { tools }),
    };
  }

  /** How many tools a round may call; a model may call some that it was not offered. */
  #mayCall(segment: number): number {
    return segment < MAX_TOOL_ROUNDS ? MAX_CALLS_PER_ROUND : 0;
  }

  #call(name: string, written: string, wantedId?: string): ToolRun {
    const id = this.#options.tools.newInvocationId(wantedId);
    const call = { id, name: plainToolName(name), arguments: plainText(written) };
    this.#options.record.toolCalled(call);
    this.#countUnsettled(1);
    const outcome = this.#run(call).finally(() => this.#countUnsettled(-1));
    // Rejects only where the response is discarded, and then nothing waits for it.
    outcome.catch(() => undefined);
    return { call, outcome };
  }

  #countUnsettled(change: 1 | -1): void {
    const ran = this.#unsettled > 0;
    this.#unsettled += change;
    const runs = this.#unsettled > 0;
    if (runs !== ran && this.#options.record.committed && !this.signal.aborted)
      this.#options.onToolsRunning(runs);
  }

  async #run(call: ModelToolCall): Promise<ToolOutcome> {
    const { tools, record, clock } = this.#options;
    if (!tools.isPrecomputable(call.name)) await this.#committed.promise;
    const startedMs = clock.nowMs();
    const outcome = await tools.run(call, this.#discard.signal);
    record.toolReturned(call, outcome, { startedMs, endedMs: clock.nowMs() });
    if (outcome.consequence) this.#follow(outcome.consequence);
    if (this.signal.aborted && record.committed) tools.onLateOutcome(outcome);
    return outcome;
  }

  #follow(consequence: ToolConsequence): void {
    void this.#committed.promise.then(() => {
      if (this.signal.aborted || this.consequence) return;
      this.consequence = consequence;
      this.#options.onConsequence(consequence);
    });
  }

  /** All outcomes, or at once null where the answer is given up. */
  #settled(runs: readonly ToolRun[]): Promise<ToolOutcome[] | null> {
    const aborted = Promise.withResolvers<null>();
    const give = (): void => aborted.resolve(null);
    this.signal.addEventListener('abort', give, { once: true });
    if (this.signal.aborted) give();
    return Promise.race([Promise.all(runs.map(({ outcome }) => outcome)), aborted.promise]).finally(() =>
      this.signal.removeEventListener('abort', give),
    );
  }
}
