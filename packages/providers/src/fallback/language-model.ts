import type { LanguageModel, ModelChunk, ModelRequest } from '@calls/engine-ports/language-model';
import { EngineOrder, type FallbackOptions } from './engine-order.ts';

/** Tries the next model if one fails before its first output. A later failure is thrown. */
export function languageModelWithFallback(options: FallbackOptions<LanguageModel>): LanguageModel {
  const order = new EngineOrder(options);
  return {
    acceptsAudio: (model) => order.first?.acceptsAudio(model) ?? false,
    respond: (request, signal) => respond(order, request, signal),
  };
}

async function* respond(
  order: EngineOrder<LanguageModel>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void, undefined> {
  const models = order.take();
  for (const [index, model] of models.entries()) {
    let begun = false;
    try {
      for await (const chunk of model.engine.respond(request, signal)) {
        if (!begun) order.worked(model);
        begun = true;
        yield chunk;
      }
      return;
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const next = begun ? undefined : models[index + 1];
      if (!order.failed(model, thrown, next)) throw thrown;
    }
  }
}
