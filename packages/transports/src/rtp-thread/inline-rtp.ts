import type { Clock } from '@calls/foundation/clock';
import type { SharedDtls } from '../dtls/dtls-media.ts';
import { FrameRing } from './frame-ring.ts';
import { FrameTicker } from './frame-ticker.ts';
import { RtpChannel, type RtpEngine } from './rtp-channel.ts';
import { RtpPort } from './rtp-port.ts';
import { PHONE_LIMITS, RtpSession, type RtpSessionOptions, type SessionPort } from './rtp-session.ts';

/** RTP in the calling thread. */
export class InlineRtp implements RtpEngine {
  readonly #ticker: FrameTicker;
  readonly #clock: Clock;
  readonly #dtls: SharedDtls | null;

  /** `dtls`: null if calls have no DTLS. */
  constructor(clock: Clock, dtls: SharedDtls | null = null) {
    this.#clock = clock;
    this.#dtls = dtls;
    this.#ticker = new FrameTicker(clock);
  }

  async open(hosts: readonly string[], port: number, onClosed: () => void): Promise<RtpChannel> {
    const opened = await RtpPort.open(hosts, port, onClosed);
    return this.channel(opened, () => RtpPort.open(hosts, opened.port + 1, () => undefined));
  }

  /** Creates the RTP channel of an open port. */
  channel(
    port: SessionPort & Pick<RtpPort, 'port'>,
    openRtcpPort: RtpSessionOptions['openRtcpPort'] = () => Promise.reject(new Error('no port for RTCP')),
  ): RtpChannel {
    const [ring, ticker, clock] = [new FrameRing(), this.#ticker, this.#clock];
    const session = new RtpSession({
      ...{ port, openRtcpPort, ring, ticker, clock },
      onPacket: (bytes, arrivedMs) => channel.onPacket?.(bytes, arrivedMs),
      onLost: (detail) => channel.lost(detail),
      dtls: this.#dtls,
      limits: PHONE_LIMITS,
    });
    const channel = new RtpChannel({
      port: port.port,
      fingerprint: this.#dtls?.context.fingerprint ?? null,
      ring,
      times: ticker,
      post: (command) => session.apply(command),
      close: () => session.close(),
      clock,
    });
    return channel;
  }
}
