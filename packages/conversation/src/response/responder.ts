import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { Clock } from '@calls/foundation/clock';
import type { LanguageModel, TokenUsage, UserContent } from '../ports/language-model.ts';
import type { AudioOutput } from '../ports/media-transport.ts';
import type { Pacer } from '../playout/pacer.ts';
import type { AudioTap } from '../playout/playout.ts';
import type { ToolConsequence } from '../tools/tool-outcome.ts';
import type { Cue, GenerationId } from '../turn/turn-types.ts';
import { ResponseRecord, type RecordSink } from './response-record.ts';
import {
  GenerationRounds,
  type GenerationTimes,
  type GenerationTools,
  type TextSource,
} from './generation-rounds.ts';
import { TextDelivery, VoiceDelivery, type Delivery } from './delivery.ts';
import { VoiceGeneration } from './voice-generation.ts';
import { buildModelRequest, type RequestContext } from './model-request.ts';
import { phraseText } from './phrases.ts';
import type { Speaker } from './speaker.ts';
import { TextGeneration } from './text-generation.ts';

/** How a response that was played, or sent as text, has ended. */
export interface SpokenResponse {
  failed: boolean;
  medium: MessageMedium;
  consequence: ToolConsequence | null;
}

export interface ResponderListener {
  onAudioStarted(generation: GenerationId, times: GenerationTimes): void;
  /** The first words of a response in text. */
  onTextShown(generation: GenerationId): void;
  /** Whether tools of a committed response run, whenever that changes. */
  onToolsRunning(generation: GenerationId, running: boolean): void;
  /** It is heard no more, and will be again. */
  onSilent(generation: GenerationId): void;
  onSpoken(generation: GenerationId, spoken: SpokenResponse): void;
  onConsequence(generation: GenerationId, consequence: ToolConsequence): void;
  /** What one request to the model took. */
  onUsage(usage: TokenUsage): void;
  onFault(fault: Error): void;
  onFrameSent(latenessMs: number): void;
  onStarved(): void;
  onAudio: AudioTap | null;
  /** The call can't go on. */
  onBroken(fault: Error): void;
}

export interface ResponderOptions {
  /** What the model is asked with, as it is now. */
  context: () => RequestContext;
  languageHint: () => string | null;
  languageModel: LanguageModel;
  speaker: () => Speaker;
  tools: GenerationTools;
  /** What an answer in this medium writes to. */
  sink: (medium: MessageMedium) => RecordSink;
  output: AudioOutput;
  pacer: Pacer;
  clock: Clock;
  listener: ResponderListener;
}

interface Work {
  cue: Cue;
  stage: RequestContext['stage'];
  answer: VoiceGeneration | TextGeneration;
  /** Null until committed. */
  delivery: Delivery | null;
}

/** Carries out what the turn reducer decides about answers: begins, commits, discards, pauses, interrupts them. */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #work = new Map<GenerationId, Work>();
  #medium: MessageMedium;
  /** Of the answers that are no more. */
  #usage: TokenUsage;

  constructor(options: ResponderOptions, start: { outputMedium: MessageMedium; usage: TokenUsage }) {
    this.#options = options;
    this.#medium = start.outputMedium;
    this.#usage = start.usage;
  }

  /** Tokens of the answers that were committed. */
  get usage(): TokenUsage {
    let usage = this.#usage;
    for (const work of this.#work.values()) usage = sumOf(usage, usageOf(work));
    return usage;
  }

  /** Takes effect with the next answer that begins. */
  set medium(medium: MessageMedium) {
    this.#medium = medium;
  }

  get medium(): MessageMedium {
    return this.#medium;
  }

  start(id: GenerationId, cue: Cue, assuming: UserContent | null): void {
    const { languageModel, speaker, output, clock, listener, tools } = this.#options;
    const record = new ResponseRecord();
    const onFault = (fault: Error): void => listener.onFault(fault);
    const source = this.#wordsFor(cue, assuming);
    const onConsequence = (asked: ToolConsequence): void => listener.onConsequence(id, asked);
    const onUsage = (usage: TokenUsage): void => listener.onUsage(usage);
    const steps = new GenerationRounds({
      source,
      languageModel,
      tools,
      record,
      clock,
      onFault,
      onUsage,
      onToolsRunning: (running) => listener.onToolsRunning(id, running),
      onConsequence,
    });
    const onProgress = (): void => this.#work.get(id)?.delivery?.progress();
    const answer =
      this.#medium === 'text'
        ? new TextGeneration({ steps, record, onProgress })
        : new VoiceGeneration({
            steps,
            record,
            speaker: speaker(),
            outputSampleRateHz: output.outputFormat.sampleRateHz,
            nowMs: () => clock.nowMs(),
            onFault,
            onProgress,
          });
    this.#work.set(id, { cue, stage: this.#options.context().stage, answer, delivery: null });
  }

  commit(id: GenerationId): void {
    const begun = this.#work.get(id);
    if (!begun || begun.delivery) return;
    const work = this.#renewed(id, begun);
    const { answer } = work;
    answer.record.commit(this.#options.sink(answer instanceof TextGeneration ? 'text' : 'voice'));
    work.delivery = this.#deliver(id, answer);
    answer.steps.commit();
    work.delivery.progress();
  }

  /** What was begun in another stage or medium is begun again; by now the history holds what it assumed. */
  #renewed(id: GenerationId, work: Work): Work {
    const isText = work.answer instanceof TextGeneration;
    if (work.stage === this.#options.context().stage && isText === (this.#medium === 'text')) return work;
    work.answer.abort();
    this.start(id, work.cue, null);
    return this.#work.get(id) ?? work;
  }

  discard(id: GenerationId): void {
    this.#work.get(id)?.answer.abort();
    this.#work.delete(id);
  }

  pause(id: GenerationId): void {
    this.#work.get(id)?.delivery?.pause();
  }

  resume(id: GenerationId): void {
    this.#work.get(id)?.delivery?.resume();
  }

  /** What was heard stays; the rest is gone. */
  interrupt(id: GenerationId): void {
    const work = this.#work.get(id);
    if (!work) return;
    work.delivery?.stop();
    this.#retire(id, work);
  }

  /** True where a filler is said ahead of the answer: not for text, nor where its first sound is there. */
  fillSilence(id: GenerationId): boolean {
    const answer = this.#work.get(id)?.answer;
    if (!(answer instanceof VoiceGeneration)) return false;
    return answer.fill(phraseText('one_moment', this.#options.languageHint()));
  }

  /** Ends all work. */
  close(): void {
    for (const id of [...this.#work.keys()]) this.interrupt(id);
  }

  #wordsFor(cue: Cue, assuming: UserContent | null): TextSource {
    const { context, languageHint } = this.#options;
    const request = buildModelRequest(context(), cue, assuming);
    const words = (text: string): TextSource => ({ kind: 'words', text, toolCalls: [], request });
    switch (cue.kind) {
      case 'words':
        return { kind: 'words', text: cue.text, toolCalls: cue.toolCalls ?? [], request };
      case 'phrase':
        return words(phraseText(cue.phrase, languageHint()));
      case 'greeting':
        return cue.text === null ? { kind: 'model', request } : words(cue.text);
      case 'reply':
        return { kind: 'model', request };
    }
  }

  #deliver(id: GenerationId, answer: VoiceGeneration | TextGeneration): Delivery {
    const { output, pacer, clock, listener } = this.#options;
    const onFinished = (failed: boolean): void => {
      const work = this.#work.get(id);
      if (work) this.#retire(id, work);
      const medium = answer instanceof TextGeneration ? 'text' : 'voice';
      listener.onSpoken(id, { failed, medium, consequence: answer.steps.consequence });
    };
    if (answer instanceof TextGeneration)
      return new TextDelivery(answer, { onStarted: () => listener.onTextShown(id), onFinished });
    return new VoiceDelivery({
      generation: answer,
      output,
      pacer,
      clock,
      listener: {
        onStarted: () => listener.onAudioStarted(id, answer.times),
        onSilent: () => listener.onSilent(id),
        onFinished,
        onFrameSent: (latenessMs: number) => listener.onFrameSent(latenessMs),
        onStarved: () => listener.onStarved(),
        onBroken: (fault: Error) => listener.onBroken(fault),
        onAudio: listener.onAudio,
      },
    });
  }

  #retire(id: GenerationId, work: Work): void {
    this.#usage = sumOf(this.#usage, usageOf(work));
    work.answer.abort();
    this.#work.delete(id);
  }
}

function usageOf({ delivery, answer }: Work): TokenUsage {
  return delivery ? answer.steps.usage : { inputTokens: 0, outputTokens: 0 };
}

function sumOf(a: TokenUsage, b: TokenUsage): TokenUsage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}
