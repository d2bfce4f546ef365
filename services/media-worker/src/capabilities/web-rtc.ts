import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { OpusThread } from '@calls/transports/opus/opus-thread';
import type { RtpThread } from '@calls/transports/rtp-thread/rtp-thread';
import { WebRtc } from '@calls/transports/webrtc/web-rtc';
import type { MediaWorkerConfig } from '../config.ts';
import { createWebRtcMeter, observeWebRtc } from '../web-rtc/web-rtc-metrics.ts';
import type { Infrastructure } from './infrastructure.ts';

/** WebRTC of this worker. */
export interface WebRtcOffer {
  /** Null if disabled. Its `unavailableReason` reports a temporary failure. */
  webRtc: WebRtc | null;
  /** The reason why this worker takes no WebRTC calls now. Null if it takes them. */
  webRtcFault: () => string | null;
}

export function startWebRtc(
  { rtc }: Pick<MediaWorkerConfig, 'rtc'>,
  deps: Pick<Infrastructure, 'metrics' | 'clock' | 'log'> & { opus: OpusThread; rtp: RtpThread },
): Promise<Capability<WebRtcOffer>> {
  const { metrics, clock, log, opus, rtp: rtpThread } = deps;
  return startCapability(log, async (components) => {
    const meter = createWebRtcMeter(metrics);
    if (rtc.kind === 'unavailable') {
      log.warn({ reason: rtc.reason }, 'WebRTC disabled on this worker');
      observeWebRtc(metrics, { connections: 0, workers: [] });
      return { webRtc: null, webRtcFault: () => rtc.reason };
    }
    const webRtc = components.own(
      'WebRTC',
      await WebRtc.start({ config: rtc.webRtc, opus, rtp: rtpThread, meter, clock, log }),
    );
    observeWebRtc(metrics, webRtc);
    if (webRtc.unavailableReason !== null)
      log.error({ reason: webRtc.unavailableReason }, 'WebRTC not available on this worker yet');
    return { webRtc, webRtcFault: () => webRtc.unavailableReason };
  });
}
