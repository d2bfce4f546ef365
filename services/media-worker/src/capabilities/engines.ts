import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { createProviders, type Providers } from '@calls/providers/registry';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { createChecksOf, createShortWork, type ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import type { MediaWorkerConfig } from '../config.ts';
import { countEngineFaults, observeVoiceActivity } from '../metrics/session-metrics.ts';
import type { Infrastructure } from './infrastructure.ts';

/** The engines of conversations. */
export interface Engines {
  providers: Providers;
  voiceActivity: VoiceActivityEngine;
  /** Checks of tool arguments, in worker processes. */
  checksOf: ChecksOf;
}

/** Rejects if the voice activity model cannot be loaded. */
export function startEngines(
  config: Pick<MediaWorkerConfig, 'providers'>,
  { metrics, outbound, clock, log }: Pick<Infrastructure, 'metrics' | 'outbound' | 'clock' | 'log'>,
): Promise<Capability<Engines>> {
  return startCapability(log, async (components) => {
    const shortWork = components.own('untrusted work', createShortWork({ log }));
    const onFault = countEngineFaults(metrics);
    const providers = components.own(
      'providers',
      createProviders(config.providers, { clock, log, outbound, onFault }),
    );
    const voiceActivity = components.own(
      'voice activity',
      await createSileroEngine({ log, clock, onBatch: observeVoiceActivity(metrics) }),
    );
    return { providers, voiceActivity, checksOf: createChecksOf(shortWork) };
  });
}
