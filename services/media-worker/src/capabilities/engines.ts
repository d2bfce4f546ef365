import type { TurnCompletionModel } from '@calls/engine-ports/turn-completion-model';
import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { createTurnModel } from '@calls/providers/end-of-turn/turn-model';
import { createProviders, type Providers } from '@calls/providers/registry';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { createChecksOf, createShortWork, type ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import type { MediaWorkerConfig } from '../config.ts';
import { countEngineFailures, observeVoiceActivity } from '../metrics/session-metrics.ts';
import type { Infrastructure } from './infrastructure.ts';

/** The engines of conversations. */
export interface Engines {
  providers: Providers;
  voiceActivity: VoiceActivityEngine;
  /** Null if only the transcript decides whether a turn is over. */
  turnModel: TurnCompletionModel | null;
  /** Checks of tool arguments, in worker processes. */
  checksOf: ChecksOf;
  /** Starts a worker process for checks, if there is none. */
  prepareChecks: () => void;
}

/** Rejects if the voice activity model or the end-of-turn model cannot be loaded. */
export function startEngines(
  config: Pick<MediaWorkerConfig, 'providers' | 'turnModel'>,
  { metrics, outbound, clock, log }: Pick<Infrastructure, 'metrics' | 'outbound' | 'clock' | 'log'>,
): Promise<Capability<Engines>> {
  return startCapability(log, async (components) => {
    const shortWork = components.own('untrusted work', createShortWork({ log }));
    const onEngineFailure = countEngineFailures(metrics);
    const providers = components.own(
      'providers',
      createProviders(config.providers, { clock, log, outbound, onEngineFailure }),
    );
    const voiceActivity = components.own(
      'voice activity',
      await createSileroEngine({ log, clock, onBatch: observeVoiceActivity(metrics) }),
    );
    const turnModel = config.turnModel
      ? components.own('end-of-turn model', await createTurnModel(config.turnModel, { log, clock }))
      : null;
    const checksOf = createChecksOf(shortWork);
    const prepareChecks = (): void => shortWork.prepare();
    return { providers, voiceActivity, turnModel, checksOf, prepareChecks };
  });
}
