import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { OpusThread } from '@calls/transports/webrtc/opus/opus-thread';
import { WebRtc } from '@calls/transports/webrtc/web-rtc';
import type { WebRtcMeter } from '@calls/transports/webrtc/web-rtc-meter';
import type { RtcConfig } from './web-rtc-config.ts';

/** The WebRTC service of this worker; null if disabled. Its `fault` reports a temporary failure. */
export async function startWebRtc(
  config: RtcConfig,
  deps: { meter: WebRtcMeter; clock: Clock; log: Logger },
): Promise<WebRtc | null> {
  if (config.kind === 'unavailable') {
    deps.log.warn({ why: config.why }, 'WebRTC disabled on this worker');
    return null;
  }
  const opus = await OpusThread.start(deps);
  const webRtc = await WebRtc.start({ config: config.webRtc, opus, ...deps });
  if (webRtc.fault !== null) deps.log.error({ why: webRtc.fault }, 'WebRTC not available on this worker yet');
  return webRtc;
}

/** Why this worker takes no WebRTC calls now; null: it does. */
export function webRtcFaultOf(config: RtcConfig, webRtc: Pick<WebRtc, 'fault'> | null): string | null {
  return config.kind === 'unavailable' ? config.why : (webRtc?.fault ?? null);
}
