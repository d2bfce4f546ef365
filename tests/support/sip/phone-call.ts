import { concatSamples } from '@calls/audio/pcm';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import { delay, systemClock as clock } from '@calls/foundation/clock';
import type { Dialog } from '@calls/sip/calls';
import type { SipMedia } from '@calls/transports/sip/sip-media';
import type { SipTransport } from '@calls/transports/sip/transport';

const FRAME_MS = 20;

/** The media-worker side of a call with a phone. */
export class PhoneCall {
  readonly media: SipMedia;
  readonly dialog: Dialog;
  readonly transport: SipTransport;
  readonly events: TransportEvent[] = [];
  readonly over: Promise<void>;
  /** SDP of the phone. */
  readonly sdp: string | null;
  #isOver = false;

  constructor(media: SipMedia, { dialog, sdp }: { dialog: Dialog; sdp: string | null }) {
    this.media = media;
    this.dialog = dialog;
    this.sdp = sdp;
    dialog.onReinvite(media);
    this.transport = media.transport({
      hangUp: () => dialog.bye(),
      transfer: (target) => dialog.refer(target),
    });
    void dialog.ended.then(({ by }) => this.transport.ended(by));
    this.over = this.#read();
  }

  received(): Int16Array {
    return concatSamples(this.events.flatMap((event) => (event.type === 'audio' ? [event.samples] : [])));
  }

  digits(): string {
    return this.events.map((event) => (event.type === 'dtmf' ? event.digit : '')).join('');
  }

  /** Sends audio in real time, until the call is over. */
  async say(samples: Int16Array): Promise<void> {
    const { sampleRateHz } = this.transport.outputFormat;
    const frame = (sampleRateHz * FRAME_MS) / 1000;
    const beganMs = clock.nowMs();
    for (let at = 0; at < samples.length && !this.#isOver; at += frame) {
      await delay(clock, beganMs + (at / sampleRateHz) * 1000 - clock.nowMs());
      this.transport.write(samples.subarray(at, at + frame));
    }
  }

  async #read(): Promise<void> {
    for await (const event of this.transport.events) this.events.push(event);
    this.#isOver = true;
  }
}
