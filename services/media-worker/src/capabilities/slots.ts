import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { NO_PRESSURE } from '../admission/processor-pressure.ts';
import { monitorLoad, watchOverload, type WorkerLoad } from '../admission/overload-watch.ts';
import { Slots } from '../admission/slots.ts';
import { measureCapacity } from '../capacity/measured-capacity.ts';
import type { MediaWorkerConfig } from '../config.ts';
import type { Engines } from './engines.ts';
import type { Infrastructure } from './infrastructure.ts';

export interface SlotsOffer {
  slots: Slots;
  load: WorkerLoad;
}

/** The slots of this worker: as many as are configured, or as a measurement shows. They pause during overload. */
export function openSlots(
  config: Pick<MediaWorkerConfig, 'admission' | 'rtc'>,
  { providers, voiceActivity, clock, log }: Engines & Pick<Infrastructure, 'clock' | 'log'>,
): Promise<Capability<SlotsOffer>> {
  return startCapability(log, async (components) => {
    const { thresholds, overload, workersHere } = config.admission;
    const medium = config.rtc.kind === 'unavailable' ? 'telephony' : 'webRtc';
    const capacity =
      config.admission.capacity ??
      (await measureCapacity({ voiceActivity, medium, workers: workersHere, log })).calls;
    const slots = new Slots(capacity, thresholds);
    if (!overload) return { slots, load: { pressure: NO_PRESSURE } };
    const monitor = monitorLoad(() => providers.sttLatenessMs());
    const load = watchOverload({ slots, limits: overload, clock, log }, monitor);
    components.own('overload watch', load);
    return { slots, load };
  });
}
