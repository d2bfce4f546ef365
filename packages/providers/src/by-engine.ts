import type { LanguageModel } from '@calls/engine-ports/language-model';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { abortable } from '@calls/foundation/clock';

const PROVIDER = 'registry';

/** Routes every synthesis to the engine of its voice. */
export function textToSpeechByEngine(engines: ReadonlyMap<string, TextToSpeech>): TextToSpeech {
  return {
    synthesize(sentences, options, signal) {
      const engine = engines.get(options.voice.engine);
      if (engine) return engine.synthesize(sentences, options, signal);
      return failing(`no text-to-speech engine "${options.voice.engine}" is configured`, signal);
    },
  };
}

/** An engine that is loaded by its first synthesis. */
export function lazyTextToSpeech(
  load: () => Promise<TextToSpeech & Partial<AsyncDisposable>>,
): TextToSpeech & AsyncDisposable {
  let engine: Promise<TextToSpeech & Partial<AsyncDisposable>> | undefined;
  return {
    async *synthesize(sentences, options, signal) {
      engine ??= load();
      yield* (await engine).synthesize(sentences, options, signal);
    },
    async [Symbol.asyncDispose]() {
      await (await engine)?.[Symbol.asyncDispose]?.();
    },
  };
}

/** Routes every request to the model of that name. */
export function languageModelByName(models: ReadonlyMap<string, LanguageModel>): LanguageModel {
  return {
    acceptsAudio: (model) => models.get(model)?.acceptsAudio(model) ?? false,
    respond(request, signal) {
      const model = models.get(request.model);
      if (model) return model.respond(request, signal);
      return failing(`no language model "${request.model}" is configured`, signal);
    },
  };
}

/** A stream that fails on the first pull, like those of engines. */
function failing(message: string, signal: AbortSignal): AsyncIterable<never> {
  const next = (): Promise<IteratorResult<never>> =>
    abortable(Promise.reject(new ProviderError(PROVIDER, 'unavailable', message)), signal);
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
