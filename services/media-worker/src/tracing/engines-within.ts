import type { ConversationServices } from '@calls/conversation/session/services';

/** Runs a function in the context of a call. */
export type Within = <T>(run: () => T) => T;

type Engines = Pick<ConversationServices, 'speechToText' | 'languageModel' | 'textToSpeech'>;

/**
 * Wraps engines so that their log lines and spans belong to the call. Shared timers, such as the pacer's tick, run outside
 * the context of any call, so the context cannot be inherited.
 */
export function enginesWithin(within: Within, engines: Engines): Engines {
  const { speechToText, languageModel, textToSpeech } = engines;
  return {
    speechToText: {
      open: (options, signal) => {
        const stream = within(() => speechToText.open(options, signal));
        return {
          push: (samples) => stream.push(samples),
          finalize: () => within(() => stream.finalize()),
          interims: stream.interims,
          close: () => stream.close(),
        };
      },
    },
    languageModel: {
      acceptsAudio: (model) => languageModel.acceptsAudio(model),
      respond: (request, signal) => iterateWithin(within, () => languageModel.respond(request, signal)),
    },
    textToSpeech: {
      synthesize: (sentences, options, signal) =>
        iterateWithin(within, () => textToSpeech.synthesize(sentences, options, signal)),
    },
  };
}

function iterateWithin<T>(within: Within, start: () => AsyncIterable<T>): AsyncIterable<T> {
  const items = within(start);
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        next: () => within(() => iterator.next()),
        return: async () => {
          await within(() => iterator.return?.());
          return { done: true, value: undefined };
        },
      };
    },
  };
}
