import { MEDIA_SET_UP_LIMIT_MS } from '@calls/api-contract/call-lifetime';
import type { WebRtcSpec } from '@calls/api-contract/call-spec';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { types } from 'mediasoup';
import { isClientError, type MediaRoom } from '../media-room.ts';
import type { OpusCodecs } from '../../opus/opus-codecs.ts';
import type { RtpThread } from '../../rtp-thread/rtp-thread.ts';
import { WebRtcTransport } from '../transport.ts';
import type { JoinOutcome, WebRtcMeter } from '../web-rtc-meter.ts';
import type { WorkerSlot } from '../worker-pool.ts';
import { writeAnswer } from './sdp-answer.ts';
import { OfferError, readOffer, type Offer } from './sdp-offer.ts';

export interface WhipJoinOptions {
  place: WorkerSlot;
  opus: OpusCodecs;
  rtp: Pick<RtpThread, 'openTo'>;
  spec: WebRtcSpec;
  offer: string;
  onOutcome: (outcome: JoinOutcome) => void;
  meter: Pick<WebRtcMeter, 'sample' | 'lost'>;
  clock: Clock;
}

/** A client that joins by an SDP offer (RFC 9725): audio in both directions, no data channel, no socket. */
export interface WhipJoin {
  readonly answer: string;
  /** Resolves when media is connected, or to null after the time limit or a hang-up. Never rejects. */
  readonly connected: Promise<MediaTransport | null>;
  /** Resolves when the connection has ended from either side. */
  readonly ended: Promise<unknown>;
  /** The client hangs up. */
  hangUp(): void;
  /** Called before the connection is complete, when newer ones replace it. */
  giveUp(): void;
}

/** Connects what the client receives; null if it does not receive. */
async function connect(
  room: MediaRoom,
  link: types.WebRtcTransport,
  { dtlsParameters, sends, receives, mid }: Offer,
): Promise<types.Consumer | null> {
  await link.connect({ dtlsParameters });
  if (sends) await room.takeAudio(link, sends);
  return receives && (await room.giveAudio(link, receives, mid));
}

/** Rejects with an OfferError if the offer is not acceptable. */
export async function joinByOffer(options: WhipJoinOptions): Promise<WhipJoin> {
  const { place, opus, rtp, spec, onOutcome, meter, clock } = options;
  const ended = Promise.withResolvers<null>();
  const outcome = Promise.withResolvers<JoinOutcome>();
  using undo = new DisposableStack();
  undo.use(place);
  const offer = readOffer(options.offer);
  const transport = await WebRtcTransport.open({
    place,
    opus,
    rtp,
    spec,
    socket: null,
    payloadTypes: offer.payloadTypes,
    meter,
    onEnd: () => {
      outcome.resolve('left');
      ended.resolve(null);
    },
    clock,
  });
  undo.defer(() => transport.end('lost', 'the offer could not be answered'));
  const { room, watch } = transport;
  const link = await room.createTransport({ hasData: false });
  watch.watch(link);
  link.on('dtlsstatechange', (state) => {
    if (state === 'connected') outcome.resolve('joined');
  });
  const sent = await connect(room, link, offer).catch((thrown: unknown) => {
    throw isClientError(toError(thrown)) ? new OfferError(toError(thrown).message) : thrown;
  });
  undo.move();
  const limit = clock.setTimer(MEDIA_SET_UP_LIMIT_MS, () => outcome.resolve('not_connected'));
  const connected = outcome.promise.then((what) => {
    limit.cancel();
    onOutcome(what);
    if (what === 'joined') transport.begin();
    else transport.end('lost', 'media did not connect in time');
    return what === 'joined' ? transport : null;
  });
  return {
    answer: writeAnswer({ offer, transport: link, sent: sent?.rtpParameters ?? null }),
    connected,
    ended: ended.promise,
    hangUp: () => transport.end('hangup', 'the client has hung up'),
    giveUp: () => outcome.resolve('replaced'),
  };
}
