import type { MessageMedium } from '@calls/api-contract';
import type { Clock } from '@calls/foundation';
import type { LanguageModel } from '../ports/language-model.ts';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { Pacer } from '../playout/pacer.ts';
import type { SoundTap } from '../playout/playout.ts';
import type { ConversationLog } from '../transcript/conversation-log.ts';
import type { Cue, GenerationId } from '../turn/turn-types.ts';
import { TextDelivery, VoiceDelivery, type Delivery } from './delivery.ts';
import { Generation, type GenerationTimes, type WordSource } from './generation.ts';
import { buildModelRequest, type ModelSettings } from './model-request.ts';
import { phraseText } from './phrases.ts';
import type { Speaker } from './speaker.ts';
import { TextAnswer } from './text-answer.ts';

export interface ResponderListener {
  onAudioStarted(generation: GenerationId, times: GenerationTimes): void;
  onSpoken(generation: GenerationId, failed: boolean): void;
  onFault(fault: Error): void;
  onFrameSent(latenessMs: number): void;
  onStarved(): void;
  onSound: SoundTap | null;
  /** The call can't go on. */
  onBroken(fault: Error): void;
}

export interface ResponderOptions {
  model: ModelSettings;
  languageHint: string | null;
  languageModel: LanguageModel;
  speaker: Speaker;
  log: ConversationLog;
  transport: MediaTransport;
  pacer: Pacer;
  clock: Clock;
  listener: ResponderListener;
}

interface Work {
  answer: Generation | TextAnswer;
  /** Null until committed. */
  delivery: Delivery | null;
}

/** Carries out what the turn reducer decides about answers: begins, commits, discards, pauses, interrupts them. */
export class Responder {
  readonly #options: ResponderOptions;
  readonly #work = new Map<GenerationId, Work>();
  #medium: MessageMedium;
  #usage = { inputTokens: 0, outputTokens: 0 };

  constructor(options: ResponderOptions, medium: MessageMedium) {
    this.#options = options;
    this.#medium = medium;
  }

  /** Tokens of the answers that were committed. */
  get usage(): { inputTokens: number; outputTokens: number } {
    return this.#usage;
  }

  /** Takes effect with the next answer that begins. */
  set medium(medium: MessageMedium) {
    this.#medium = medium;
  }

  start(id: GenerationId, cue: Cue, assuming: string | null): void {
    const { languageModel, speaker, transport, clock, listener } = this.#options;
    const common = {
      id,
      source: this.#wordsFor(cue, assuming),
      languageModel,
      clock,
      onFault: (fault: Error) => listener.onFault(fault),
      onProgress: () => this.#work.get(id)?.delivery?.progress(),
    };
    const answer =
      this.#medium === 'text'
        ? new TextAnswer(common)
        : new Generation({ ...common, speaker, outputSampleRateHz: transport.outputFormat.sampleRateHz });
    this.#work.set(id, { answer, delivery: null });
  }

  commit(id: GenerationId): void {
    const work = this.#work.get(id);
    if (!work || work.delivery) return;
    work.delivery = this.#deliver(id, work.answer);
    work.delivery.progress();
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
    if (!(answer instanceof Generation)) return false;
    return answer.fill(phraseText('one_moment', this.#options.languageHint));
  }

  /** Ends all work. */
  close(): void {
    for (const id of [...this.#work.keys()]) this.interrupt(id);
  }

  #wordsFor(cue: Cue, assuming: string | null): WordSource {
    const { log, model, languageHint } = this.#options;
    switch (cue.kind) {
      case 'words':
        return { kind: 'words', text: cue.text };
      case 'phrase':
        return { kind: 'words', text: phraseText(cue.phrase, languageHint) };
      case 'greeting':
        if (cue.text !== null) return { kind: 'words', text: cue.text };
        return { kind: 'model', request: buildModelRequest(model, log.messages, cue, assuming) };
      case 'reply':
        return { kind: 'model', request: buildModelRequest(model, log.messages, cue, assuming) };
    }
  }

  #deliver(id: GenerationId, answer: Generation | TextAnswer): Delivery {
    const { log, transport, pacer, clock, listener } = this.#options;
    const deliveryListener = {
      onStarted: () => listener.onAudioStarted(id, answer.times),
      onFinished: (failed: boolean) => {
        const work = this.#work.get(id);
        if (work) this.#retire(id, work);
        listener.onSpoken(id, failed);
      },
      onFrameSent: (latenessMs: number) => listener.onFrameSent(latenessMs),
      onStarved: () => listener.onStarved(),
      onBroken: (fault: Error) => listener.onBroken(fault),
      onSound: listener.onSound,
    };
    if (answer instanceof TextAnswer) {
      return new TextDelivery(answer, log.openAgentEntry('text'), deliveryListener);
    }
    const entry = log.openAgentEntry('voice');
    return new VoiceDelivery({
      generation: answer,
      entry,
      transport,
      pacer,
      clock,
      listener: deliveryListener,
    });
  }

  #retire(id: GenerationId, work: Work): void {
    const { inputTokens, outputTokens } = work.answer.usage;
    if (work.delivery) {
      this.#usage = {
        inputTokens: this.#usage.inputTokens + inputTokens,
        outputTokens: this.#usage.outputTokens + outputTokens,
      };
    }
    work.answer.abort();
    this.#work.delete(id);
  }
}
