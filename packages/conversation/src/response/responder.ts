import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { LanguageModel, TokenUsage, UserContent } from '@calls/engine-ports/language-model';
import type { Clock } from '@calls/foundation/clock';
import type { Pacer } from '../playout/pacer.ts';
import type { AudioMonitor } from '../playout/playout.ts';
import type { AudioOutput } from '../ports/media-transport.ts';
import type { InterruptedCalls } from '../tools/tool-interruption.ts';
import type { ToolAction } from '../tools/tool-outcome.ts';
import { retrievalsOfTurn } from '../tools/turn-retrieval.ts';
import type { Cue, GenerationId } from '../turn/turn-types.ts';
import { TextDelivery, VoiceDelivery, type Delivery } from './delivery.ts';
import { GenerationRounds, type GenerationTimes, type TextSource } from './generation-rounds.ts';
import { buildModelRequest, type RequestContext } from './model-request.ts';
import { phraseText } from './phrases.ts';
import { ResponseRecord, type RecordSink } from './response-record.ts';
import type { Speaker } from './speaker.ts';
import { TextGeneration } from './text-generation.ts';
import type { GenerationTools } from './tool-runs.ts';
import { VoiceGeneration } from './voice-generation.ts';

/** How a played or shown response ended. */
export interface SpokenResponse {
  failed: boolean;
  medium: MessageMedium;
  /** Whether the response ended with tool calls, and their results require no further response. */
  endsWithTools: boolean;
  action: ToolAction | null;
}

/** Events of responses for the turn engine. */
export interface ResponseListener {
  /** `silenceMs` returns the silence with which its audio begins, as far as it has been synthesized. */
  onAudioStarted(generation: GenerationId, times: GenerationTimes, silenceMs: () => number): void;
  /** The first words of a text response were sent. */
  onTextShown(generation: GenerationId, times: GenerationTimes): void;
  /** Whether tools of a committed response run; called on each change. */
  onToolsRunning(generation: GenerationId, running: boolean): void;
  /** Playback paused for lack of audio and will continue. */
  onSilent(generation: GenerationId): void;
  onSpoken(generation: GenerationId, spoken: SpokenResponse): void;
}

/** Events during the generation of responses. */
export interface GenerationListener {
  onToolAction(generation: GenerationId, action: ToolAction): void;
  /** Token usage of one model request. */
  onUsage(usage: TokenUsage): void;
  onError(error: Error): void;
}

export interface ResponderOptions {
  /** The current context of model requests. */
  context: () => RequestContext;
  languageHint: () => string | null;
  /** Whether a response should have words. */
  expectsWords: () => boolean;
  languageModel: LanguageModel;
  speaker: () => Speaker;
  tools: GenerationTools;
  /** Returns the sink for a response in this medium. */
  sink: (medium: MessageMedium) => RecordSink;
  output: AudioOutput;
  pacer: Pacer;
  clock: Clock;
  responses: ResponseListener;
  generations: GenerationListener;
  monitor: AudioMonitor;
}

interface Work {
  cue: Cue;
  stage: RequestContext['stage'];
  generation: VoiceGeneration | TextGeneration;
  /** Null until the response is committed. */
  delivery: Delivery | null;
}

/** Applies the turn reducer's effects on responses: start, commit, discard, duck, pause, interrupt. */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #work = new Map<GenerationId, Work>();
  #medium: MessageMedium;
  /** Token usage of finished generations. */
  #usage: TokenUsage;
  #interrupted: { id: GenerationId; delivery: Delivery } | null = null;

  constructor(options: ResponderOptions, start: { outputMedium: MessageMedium; usage: TokenUsage }) {
    this.#options = options;
    this.#medium = start.outputMedium;
    this.#usage = start.usage;
  }

  /** Token usage of committed responses. */
  get usage(): TokenUsage {
    let usage = this.#usage;
    for (const work of this.#work.values()) usage = sumOf(usage, usageOf(work));
    return usage;
  }

  /** Takes effect with the next generation. */
  set medium(medium: MessageMedium) {
    this.#medium = medium;
  }

  get medium(): MessageMedium {
    return this.#medium;
  }

  start(id: GenerationId, cue: Cue, assuming: UserContent | null): void {
    const { languageModel, speaker, output, clock, responses, generations, tools } = this.#options;
    const record = new ResponseRecord();
    const onError = (error: Error): void => generations.onError(error);
    const source = this.#textSourceFor(cue, assuming);
    const onToolAction = (action: ToolAction): void => generations.onToolAction(id, action);
    const onUsage = (usage: TokenUsage): void => generations.onUsage(usage);
    const steps = new GenerationRounds({
      source,
      languageModel,
      tools,
      expectsWords: this.#options.expectsWords(),
      record,
      clock,
      onError,
      onUsage,
      onToolsRunning: (running) => responses.onToolsRunning(id, running),
      onToolAction,
    });
    const onProgress = (): void => this.#work.get(id)?.delivery?.progress();
    const generation =
      this.#medium === 'text'
        ? new TextGeneration({ steps, record, onProgress })
        : new VoiceGeneration({
            steps,
            record,
            speaker: speaker(),
            outputSampleRateHz: output.outputFormat.sampleRateHz,
            nowMs: () => clock.nowMs(),
            onError,
            onProgress,
          });
    this.#work.set(id, { cue, stage: this.#options.context().stage, generation, delivery: null });
  }

  commit(id: GenerationId): void {
    const begun = this.#work.get(id);
    if (!begun || begun.delivery) return;
    const work = this.#restartIfOutdated(id, begun);
    const { generation } = work;
    generation.record.commit(this.#options.sink(generation instanceof TextGeneration ? 'text' : 'voice'));
    work.delivery = this.#deliver(id, generation);
    generation.steps.commit();
    work.delivery.progress();
  }

  /**
   * Restarts a generation that started in another stage or medium. By now the history contains what it assumed.
   */
  #restartIfOutdated(id: GenerationId, work: Work): Work {
    const isText = work.generation instanceof TextGeneration;
    if (work.stage === this.#options.context().stage && isText === (this.#medium === 'text')) return work;
    work.generation.abort();
    this.start(id, work.cue, null);
    return this.#work.get(id) ?? work;
  }

  discard(id: GenerationId): void {
    this.#work.get(id)?.generation.abort();
    this.#work.delete(id);
  }

  duck(id: GenerationId): void {
    this.#work.get(id)?.delivery?.duck();
  }

  pause(id: GenerationId): void {
    this.#work.get(id)?.delivery?.pause();
  }

  resume(id: GenerationId): void {
    this.#work.get(id)?.delivery?.resume();
  }

  holdTools(id: GenerationId): void {
    this.#work.get(id)?.generation.steps.holdTools();
  }

  releaseTools(id: GenerationId): void {
    this.#work.get(id)?.generation.steps.releaseTools();
  }

  /** Stops the response; what was played remains in the history. `interruptedCalls`: see the effect. */
  interrupt(id: GenerationId, interruptedCalls?: InterruptedCalls): void {
    const work = this.#work.get(id);
    if (!work) return;
    work.delivery?.stop();
    if (interruptedCalls) work.generation.steps.interruptCalls(interruptedCalls);
    if (work.delivery) this.#interrupted = { id, delivery: work.delivery };
    this.#retire(id, work);
  }

  /**
   * The part of a response that was not delivered: the text with which to continue, or null if it has to be generated
   * again. Undefined if it was not the last interrupted response.
   */
  remainderOf(id: GenerationId): string | null | undefined {
    return this.#interrupted?.id === id ? this.#interrupted.delivery.remainder : undefined;
  }

  /** Plays a filler phrase before the response. False for text responses and if there is audio already. */
  fillSilence(id: GenerationId): boolean {
    const generation = this.#work.get(id)?.generation;
    if (!(generation instanceof VoiceGeneration)) return false;
    return generation.fill(phraseText('one_moment', this.#options.languageHint()));
  }

  /** Stops all work. */
  close(): void {
    for (const id of [...this.#work.keys()]) this.interrupt(id);
  }

  #textSourceFor(cue: Cue, assuming: UserContent | null): TextSource {
    const { context, languageHint } = this.#options;
    const request = buildModelRequest(context(), cue, assuming);
    const fixedText = (text: string): TextSource => ({ kind: 'words', text, toolCalls: [], request });
    switch (cue.kind) {
      case 'words':
        return { kind: 'words', text: cue.text, toolCalls: cue.toolCalls ?? [], request };
      case 'phrase':
        return fixedText(phraseText(cue.phrase, languageHint()));
      case 'greeting':
        return cue.text === null ? { kind: 'model', request } : fixedText(cue.text);
      case 'reply': {
        const toolCalls = retrievalsOfTurn(request, context().stage.tools);
        return toolCalls.length === 0
          ? { kind: 'model', request }
          : { kind: 'words', text: '', toolCalls, request };
      }
    }
  }

  #deliver(id: GenerationId, generation: VoiceGeneration | TextGeneration): Delivery {
    const { output, pacer, clock, responses, monitor } = this.#options;
    const onFinished = (failed: boolean): void => {
      const work = this.#work.get(id);
      if (work) this.#retire(id, work);
      const medium = generation instanceof TextGeneration ? 'text' : 'voice';
      const { action, lastRound } = generation.steps;
      responses.onSpoken(id, { failed, medium, endsWithTools: !failed && lastRound === null, action });
    };
    if (generation instanceof TextGeneration)
      return new TextDelivery(generation, {
        onStarted: () => responses.onTextShown(id, generation.times),
        onFinished,
      });
    return new VoiceDelivery({
      generation,
      output,
      pacer,
      clock,
      listener: {
        onStarted: () =>
          responses.onAudioStarted(id, generation.times, () => generation.utterance.leadingSilenceMs),
        onSilent: () => responses.onSilent(id),
        onFinished,
      },
      monitor,
    });
  }

  #retire(id: GenerationId, work: Work): void {
    this.#usage = sumOf(this.#usage, usageOf(work));
    work.generation.abort();
    this.#work.delete(id);
  }
}

function usageOf({ delivery, generation }: Work): TokenUsage {
  return delivery ? generation.steps.usage : { inputTokens: 0, outputTokens: 0 };
}

function sumOf(a: TokenUsage, b: TokenUsage): TokenUsage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}
