import type { LanguageModel, ModelChunk } from '@calls/engine-ports/language-model';
import { delay, type Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { DEFAULT_MODEL } from '@calls/providers/config/catalogue';
import type { ProviderConfig } from '@calls/providers/config/provider-config';
import { createSvcLocal } from '@calls/providers/llm/svc-local/adapter';
import { createProviders, type Providers } from '@calls/providers/registry';
import type { CallerModel } from './call/persona.ts';
import type { RealTimeWork } from './call/real-time-work.ts';

/** The language models of simulated calls. */
export interface SimulationEngines extends AsyncDisposable {
  /** The models that agents can name, for one call. */
  readonly languageModel: (clock: Clock, work: RealTimeWork) => LanguageModel;
  /** Plays callers and judges; null without a configured language model. */
  readonly callerModel: CallerModel | null;
}

/** Name of the embedded model, which is a script. */
const LOCAL_MODEL = 'svc-local';

/** Starts no engine if only the embedded model is configured. */
export function openEngines(
  config: ProviderConfig,
  { clock: realTime, log }: { clock: Clock; log: Logger },
): SimulationEngines {
  const hosted: Providers | null =
    config.languageModel.length === 0 ? null : createProviders(config, { clock: realTime, log });
  return {
    languageModel(clock, work) {
      const local = createSvcLocal({ clock });
      if (!hosted) return local;
      const remote = inVirtualTime(hosted.languageModel, clock, work, realTime);
      return {
        acceptsAudio: (model) => model !== LOCAL_MODEL && remote.acceptsAudio(model),
        respond: (request, signal) =>
          (request.model === LOCAL_MODEL ? local : remote).respond(request, signal),
      };
    },
    callerModel: hosted && { name: DEFAULT_MODEL, languageModel: hosted.languageModel },
    [Symbol.asyncDispose]: async () => hosted?.[Symbol.asyncDispose](),
  };
}

/**
 * A model on a server, in virtual time: the clock stands still while the server works, and then advances by the time that it
 * took.
 */
function inVirtualTime(
  model: LanguageModel,
  clock: Clock,
  work: RealTimeWork,
  realTime: Clock,
): LanguageModel {
  return {
    acceptsAudio: (name) => model.acceptsAudio(name),
    async *respond(request, signal): AsyncGenerator<ModelChunk> {
      const chunks = model.respond(request, signal)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const beganMs = realTime.nowMs();
          const next = await work.track(chunks.next());
          await delay(clock, realTime.nowMs() - beganMs, signal);
          if (next.done === true) return;
          yield next.value;
        }
      } finally {
        await chunks.return?.();
      }
    },
  };
}
