import type { ForcedToolCall } from '@calls/api-contract/data-messages/forced-agent-message';
import type {
  LanguageModel,
  ModelMessage,
  ModelRequest,
  TokenUsage,
} from '@calls/engine-ports/language-model';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { ToolAction, ToolOutcome } from '../tools/tool-outcome.ts';
import { plainText } from '../transcript/plain-text.ts';
import type { InterruptedCalls } from '../tools/tool-interruption.ts';
import type { ResponseRecord } from './response-record.ts';
import { ToolRuns, type GenerationTools, type ToolRun } from './tool-runs.ts';

/**
 * Source of a response's text. `request`: the model request for the first round, or for the round after the
 * given tool calls.
 */
export type TextSource =
  | { kind: 'model'; request: ModelRequest }
  | { kind: 'words'; text: string; toolCalls: readonly ForcedToolCall[]; request: ModelRequest };

export interface GenerationTimes {
  startedMs: number;
  firstTokenMs: number | null;
  firstAudioMs: number | null;
}

export interface GenerationRoundsOptions {
  source: TextSource;
  languageModel: LanguageModel;
  tools: GenerationTools;
  /** Whether the model is asked once more if it returns neither words nor tool calls. */
  expectsWords: boolean;
  record: ResponseRecord;
  clock: Clock;
  onError: (error: Error) => void;
  /** Token usage of one model request, once the response is committed. */
  onUsage: (usage: TokenUsage) => void;
  /** Called with whether any tool runs, on each change while the response is committed and not aborted. */
  onToolsRunning: (running: boolean) => void;
  /**
   * The first action that a tool requests, once the response is committed. Later ones are ignored, except after a
   * new stage, which does not prevent a hang-up, and transfers, which replace a hang-up.
   */
  onToolAction: (action: ToolAction) => void;
}

/** What plays or shows the rounds. */
export interface RoundOutput {
  /** Audio of tools, to play after the text of the round. */
  onAudio: (samples: Int16Array) => void;
  /** Resolves when everything so far is played. */
  played: () => Promise<void>;
}

/** One round: text, then the audio of tools. */
export interface GenerationRound {
  segment: number;
  /** Must be consumed to the end. */
  texts: AsyncIterable<string>;
}

/** Maximum number of rounds with tools; in one more, the last, the model gets no tools. */
const MAX_TOOL_ROUNDS = 10;
const MAX_CALLS_PER_ROUND = 16;
/** Exceeds the number of chunks of the longest response. */
const MAX_PIECES = 32_768;

/**
 * Runs the rounds of one generation: the model (or given text), the tools it calls, the model again with their
 * results, until it calls none or no result requires a response. Tools start as soon as they are called, in
 * parallel, while the text before them plays; see ToolRuns.
 */
export class GenerationRounds {
  readonly times: GenerationTimes;
  /** The last action passed to `onToolAction`. */
  action: ToolAction | null = null;
  /** Whether part of the response is missing because of an error. */
  failed = false;
  /** The last round, once it is complete. Null if the response ends with tools that ran. */
  lastRound: { segment: number; text: string } | null = null;
  #usage = { inputTokens: 0, outputTokens: 0 };
  readonly #options: GenerationRoundsOptions;
  readonly #abort = new AbortController();
  readonly #committed = Promise.withResolvers<undefined>();
  /** Resolves when the speech of the current round is played. */
  #speech = Promise.withResolvers<undefined>();
  /** Messages added to the request by earlier rounds. */
  readonly #own: ModelMessage[] = [];
  readonly #runs: ToolRuns;

  constructor(options: GenerationRoundsOptions) {
    this.#options = options;
    const { tools, record, clock } = options;
    this.times = { startedMs: clock.nowMs(), firstTokenMs: null, firstAudioMs: null };
    this.#runs = new ToolRuns({
      tools,
      record,
      clock,
      committed: this.#committed.promise,
      spoken: () => this.#unlessAborted(this.#speech.promise),
      isAborted: () => this.signal.aborted,
      onRunning: (running) => {
        if (record.committed && !this.signal.aborted) options.onToolsRunning(running);
      },
      onOutcome: ({ action }) => action && this.#follow(action),
    });
  }

  get usage(): TokenUsage {
    return this.#usage;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  commit(): void {
    this.#committed.resolve(undefined);
    if (this.#runs.anyRuns) this.#options.onToolsRunning(true);
  }

  /** Speech may turn out to be an interruption: no tool starts until `releaseTools` or `abort`. */
  holdTools(): void {
    this.#runs.hold();
  }

  releaseTools(): void {
    this.#runs.release();
  }

  /** Call before `abort` if the user interrupts the response: interrupts its tool calls as well. */
  interruptCalls(what: InterruptedCalls): void {
    this.#runs.interruptCalls(what);
  }

  /** Records an error; the response is incomplete. */
  fail(thrown: unknown): void {
    this.failed = true;
    if (!this.signal.aborted) this.#options.onError(toError(thrown));
  }

  /** Stops the generation. Tools that a committed response has called continue, unless they are interrupted. Idempotent. */
  abort(): void {
    this.#abort.abort(new Error('generation aborted'));
    if (!this.#options.record.committed) this.#runs.discard();
    this.#runs.release();
  }

  async *run({ onAudio, played }: RoundOutput): AsyncGenerator<GenerationRound, void, undefined> {
    for (let segment = 0; ; segment += 1) {
      const texts = new BoundedQueue<string>(MAX_PIECES, 'drop-newest');
      const speech = Promise.withResolvers<undefined>();
      this.#speech = speech;
      const round = this.#begin(segment, texts);
      yield { segment, texts };
      void played().then(() => speech.resolve(undefined));
      const { said, runs } = await round;
      if (runs.length === 0) return;
      const outcomes = await this.#settled(runs);
      if (!outcomes) return;
      for (const { sound } of outcomes) if (sound) onAudio(sound);
      const spoke = said.trim() !== '';
      const speaks = outcomes.some(
        ({ reaction }) => reaction === 'speaks' || (reaction === 'speaks-once' && !spoke),
      );
      if (!speaks || segment === MAX_TOOL_ROUNDS || this.failed || outcomes.some(({ action }) => action))
        return;
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
      if (source.toolCalls.length === 0) this.lastRound = { segment, text };
      const runs = source.toolCalls.map(({ id, name, arguments: values }) =>
        this.#runs.call(name, JSON.stringify(values), id === undefined ? {} : { requestedId: id }),
      );
      return Promise.resolve({ said: text, runs });
    }
    return this.#generateRound(segment, texts);
  }

  async #generateRound(
    segment: number,
    texts: BoundedQueue<string>,
  ): Promise<{ said: string; runs: ToolRun[] }> {
    let round = await this.#generate(segment, texts);
    const isEmpty = round.said.trim() === '' && round.runs.length === 0;
    // Models sometimes end a response before its first word. The user would wait in silence.
    if (isEmpty && this.#options.expectsWords && !this.failed && !this.signal.aborted)
      round = await this.#generate(segment, texts);
    texts.close();
    const { said, runs } = round;
    if ((runs.length === 0 || segment === MAX_TOOL_ROUNDS) && !this.failed)
      this.lastRound = { segment, text: said };
    return round;
  }

  /** One request to the model. */
  async #generate(segment: number, texts: BoundedQueue<string>): Promise<{ said: string; runs: ToolRun[] }> {
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
            // The model's own ids may repeat in later generations.
            runs.push(
              this.#runs.call(chunk.call.name, chunk.call.arguments, {
                refusal: refusalOf(segment, runs.length),
              }),
            );
            break;
          case 'usage':
            this.#count(chunk);
            break;
        }
      }
    } catch (thrown) {
      // Text generated before the error is still played.
      this.fail(thrown);
    }
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
      ...(tools.length > 0 && segment < MAX_TOOL_ROUNDS && { tools }),
    };
  }

  #follow(action: ToolAction): void {
    void this.#committed.promise.then(() => {
      if (this.signal.aborted || (this.action && !isReplaced(this.action, action))) return;
      this.action = action;
      this.#options.onToolAction(action);
    });
  }

  /** Resolves with all outcomes, or with null as soon as the generation is aborted. */
  #settled(runs: readonly ToolRun[]): Promise<ToolOutcome[] | null> {
    return this.#unlessAborted(Promise.all(runs.map(({ outcome }) => outcome)));
  }

  #unlessAborted<T>(work: Promise<T>): Promise<T | null> {
    const aborted = Promise.withResolvers<null>();
    const give = (): void => aborted.resolve(null);
    this.signal.addEventListener('abort', give, { once: true });
    if (this.signal.aborted) give();
    return Promise.race([work, aborted.promise]).finally(() =>
      this.signal.removeEventListener('abort', give),
    );
  }
}

function isReplaced(earlier: ToolAction, later: ToolAction): boolean {
  if (earlier.kind === 'new_stage') return true;
  const isTransfer = later.kind === 'hang_up' && later.transferTo !== undefined;
  return isTransfer && earlier.kind === 'hang_up' && earlier.transferTo === undefined;
}

/** Why a tool call of a round does not run; null if it does. A model may call tools that it was not offered. */
function refusalOf(segment: number, earlierCalls: number): string | null {
  if (segment === MAX_TOOL_ROUNDS)
    return `not run: a response can have at most ${MAX_TOOL_ROUNDS} rounds of tool calls`;
  if (earlierCalls < MAX_CALLS_PER_ROUND) return null;
  return `not run: the model can call at most ${MAX_CALLS_PER_ROUND} tools at a time`;
}
