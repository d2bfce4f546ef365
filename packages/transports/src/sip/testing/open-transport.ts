import { encodeMuLaw } from '@calls/audio/g711';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { InlineRtp } from '../../rtp-thread/inline-rtp.ts';
import type { RtpAddress } from '../../rtp/rtp-address.ts';
import { writeRtpPacket } from '../../rtp/rtp-packet.ts';
import type { SrtpSender } from '../../srtp/srtp-sender.ts';
import { negotiateMedia, type NegotiatedMedia } from '../negotiated-media.ts';
import type { Direction } from '../remote-media.ts';
import type { SipMediaSample } from '../sip-media-meter.ts';
import { SipTransport } from '../transport.ts';

export const PEER = { address: '192.0.2.10', port: 4000 };

export function negotiated(
  direction: Direction = 'sendrecv',
  telephoneEvent: number | null = 101,
): NegotiatedMedia {
  const telephoneEvents = new Map(telephoneEvent === null ? [] : [[telephoneEvent, 8000]]);
  const voices = [{ payloadType: 0, codec: 'PCMU' }] as const;
  const section = {
    sections: [],
    audioIndex: 0,
    hasRtcpMux: false,
    isSecureProfile: false,
    cryptos: [],
    dtls: null,
    rtcp: null,
  };
  return negotiateMedia({ ...section, target: PEER, direction, voices, telephoneEvents }, false);
}

/** A transport with a simulated RTP port. */
export function openTransport(agreed = negotiated()) {
  const clock = new VirtualClock();
  const sent: { packet: Buffer; to: RtpAddress }[] = [];
  const samples: SipMediaSample[] = [];
  const hangUps: string[] = [];
  const port = {
    port: 4000,
    onPacket: null as ((bytes: Buffer, from: RtpAddress) => void) | null,
    isClosed: false,
    send: (packet: Buffer, to: RtpAddress): void => void sent.push({ packet, to }),
    close(): void {
      port.isClosed = true;
    },
  };
  const rtp = new InlineRtp(clock).channel(port);
  rtp.apply({ type: 'signalled', address: PEER });
  const meter = { sample: (sample: SipMediaSample): void => void samples.push(sample) };
  const hangUp = (reason: string): Promise<void> => Promise.resolve(void hangUps.push(reason));
  const transfers: string[] = [];
  const transfer = (target: string): Promise<boolean> => Promise.resolve(transfers.push(target) > 0);
  const transport = new SipTransport(
    { hangUp, transfer },
    { rtp, opus: null, meter, clock, mediaTimeoutMs: 30_000 },
    agreed,
  );
  const events: TransportEvent[] = [];
  const read = (async () => {
    for await (const event of transport.events) events.push(event);
  })();
  let sequenceNumber = 100;
  const speak = (
    payloadType = 0,
    from: RtpAddress = PEER,
    sealedBy?: SrtpSender,
    samples: Int16Array = new Int16Array(160).fill(1000),
  ): void => {
    const bytes = Buffer.alloc(172);
    sequenceNumber += 1;
    const timestamp = sequenceNumber * 160;
    const payload = encodeMuLaw(samples);
    const header = { marker: false, payloadType, sequenceNumber, timestamp, ssrc: from.port };
    writeRtpPacket({ ...header, payload }, bytes);
    port.onPacket?.(sealedBy?.protectRtp(bytes) ?? bytes, from);
  };
  const types = (): string[] => events.map(({ type }) => type);
  return { clock, sent, samples, hangUps, transfers, port, rtp, transport, events, types, read, speak };
}
