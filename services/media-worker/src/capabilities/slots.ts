import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { monitorLoad, watchOverload } from '../admission/overload-watch.ts';
import { Slots } from '../admission/slots.ts';
import { measureCapacity } from '../capacity/measured-capacity.ts';
import type { MediaWorkerConfig } from '../config.ts';
import type { Engines } from './engines.ts';
import type { Infrastructure } from './infrastructure.ts';

/** The slots of this worker: as many as are configured, or as a measurement shows. They pause during overload. */
export function openSlots(
  config: Pick<MediaWorkerConfig, 'admission' | 'rtc'>,
  { providers, voiceActivity, clock, log }: Engines & Pick<Infrastructure, 'clock' | 'log'>,
): Promise<Capability<{ slots: Slots }>> {
  return startCapability(log, async (components) => {
    const { thresholds, overload, workersHere } = config.admission;
    const medium = config.rtc.kind === 'unavailable' ? 'serverWebSocket' : 'webRtc';
    const capacity =
      config.admission.capacity ??
      (await measureCapacity({ voiceActivity, medium, workers: workersHere, log }));
    const slots = new Slots(capacity, thresholds);
    if (overload) {
      const monitor = monitorLoad(() => providers.sttLatenessMs());
      components.own('overload watch', watchOverload({ slots, limits: overload, clock, log }, monitor));
    }
    return { slots };
  });
}
