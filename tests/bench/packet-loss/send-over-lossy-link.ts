import { createOpusDecoder, createOpusEncoder, OPUS_FRAME_MS, type OpusDecoder } from '@calls/audio/opus';
import { concatSamples, samplesFromMs } from '@calls/audio/pcm';
import { OPUS } from '@calls/transports/rtp/opus-payload';
import type { Playout } from '@calls/transports/rtp/playout';
import { ReorderBuffer, type ReorderStatistics } from '@calls/transports/rtp/reorder-buffer';
import { readRtpPacket, type RtpPacket } from '@calls/transports/rtp/rtp-packet';
import { RtpSender } from '@calls/transports/rtp/rtp-sender';
import { LossyLink, type LinkConditions } from '../../support/lossy-link.ts';
import { SENTENCE_RATE_HZ } from './speech.ts';

/** Recovery methods for lost packets. */
export type Repair = 'recovery and concealment' | 'concealment' | 'silence';

export interface ReceivedSpeech {
  /** Received audio at 16 kHz, as long as the sent audio. */
  samples: Int16Array;
  statistics: ReorderStatistics;
  /** Mean delay of the audio, excluding the minimum network delay. */
  delayMs: number;
}

export interface Passage {
  /** At `SENTENCE_RATE_HZ`. */
  speech: Int16Array;
  link: LinkConditions;
  repair: Repair;
  seed: number;
  /** Time from the detection of a missing packet to its retransmission. */
  repeatAfterMs?: number;
}

const RECEIVED_RATE_HZ = 16_000;

interface Arrival {
  packet: RtpPacket;
  sentMs: number;
  atMs: number;
}

/** Sends speech as Opus in RTP over a simulated lossy network, with the components of a call but without sockets. */
export async function sendOverLossyLink(passage: Passage): Promise<ReceivedSpeech> {
  const { repair, link } = passage;
  using decoder = await createOpusDecoder({ sampleRateHz: RECEIVED_RATE_HZ });
  const buffer = new ReorderBuffer(
    repair === 'recovery and concealment' ? OPUS : { ...OPUS, carriesPrevious: () => false },
  );
  const packets = await packetsOf(passage);
  const arrivals = arrivalsOf(packets, passage);
  const parts: Int16Array[] = [];
  const delaysMs: number[] = [];
  const sentMsOf = new Map(arrivals.map(({ packet, sentMs }) => [packet.payload, sentMs]));
  const drain = (nowMs: number): void => {
    for (let playout = buffer.due(nowMs); playout; playout = buffer.due(nowMs)) {
      parts.push(samplesOf(playout, decoder, repair));
      if (playout.type === 'decode') {
        delaysMs.push(nowMs - (sentMsOf.get(playout.payload) ?? nowMs) - link.delayMs);
      }
    }
  };
  const drainUntil = (untilMs: number): void => {
    for (let dueMs = buffer.nextDueMs(); dueMs !== null && dueMs <= untilMs; dueMs = buffer.nextDueMs())
      drain(dueMs);
  };
  for (const { packet, atMs } of arrivals) {
    drainUntil(atMs);
    buffer.push(packet, atMs);
    drain(atMs);
  }
  drainUntil(Infinity);
  return {
    samples: concatSamples(parts),
    statistics: buffer.statistics,
    delayMs: delaysMs.reduce((sum, delayMs) => sum + delayMs, 0) / Math.max(1, delaysMs.length),
  };
}

async function packetsOf({ speech, link, repair }: Passage): Promise<RtpPacket[]> {
  const isRecovered = repair === 'recovery and concealment';
  using encoder = await createOpusEncoder({
    sampleRateHz: SENTENCE_RATE_HZ,
    expectedLossPercent: isRecovered ? Math.max(1, link.lossPercent) : 0,
  });
  const sender = new RtpSender({
    ssrc: 1,
    payloadType: 111,
    clockRateHz: OPUS.clockRateHz,
    firstSequenceNumber: 65_500,
    firstTimestamp: 0xffff_0000,
    retainsPackets: true,
  });
  const packets: RtpPacket[] = [];
  for (let start = 0; start + encoder.frameSamples <= speech.length; start += encoder.frameSamples) {
    const payload = encoder.encode(speech.subarray(start, start + encoder.frameSamples));
    const packet = readRtpPacket(sender.audio(payload, packets.length * OPUS_FRAME_MS, OPUS_FRAME_MS));
    if (packet) packets.push(packet);
  }
  return packets;
}

/** The first and the last packet always arrive, so that all received audio has the same length. */
function arrivalsOf(packets: readonly RtpPacket[], { link, seed, repeatAfterMs }: Passage): Arrival[] {
  const way = new LossyLink(link, seed);
  const arrivals: Arrival[] = [];
  packets.forEach((packet, i) => {
    const sentMs = i * OPUS_FRAME_MS;
    const atMs = way.arrivalMs(sentMs);
    if (atMs !== null) arrivals.push({ packet, sentMs, atMs });
    else if (i === 0 || i === packets.length - 1)
      arrivals.push({ packet, sentMs, atMs: sentMs + link.delayMs });
    else if (repeatAfterMs !== undefined) {
      const againMs = way.arrivalMs(sentMs + OPUS_FRAME_MS + link.delayMs + repeatAfterMs);
      if (againMs !== null) arrivals.push({ packet, sentMs, atMs: againMs });
    }
  });
  const first = arrivals[0];
  const earliestMs = Math.min(...arrivals.map(({ atMs }) => atMs));
  if (first) first.atMs = earliestMs - 1;
  return arrivals.sort((one, other) => one.atMs - other.atMs);
}

function samplesOf(playout: Playout, decoder: OpusDecoder, repair: Repair): Int16Array {
  const silent = (): Int16Array => new Int16Array(samplesFromMs(playout.durationMs, RECEIVED_RATE_HZ));
  switch (playout.type) {
    case 'decode':
      return decoder.decode(playout.payload) ?? silent();
    case 'recover':
      return decoder.recover(playout.payload, playout.durationMs) ?? silent();
    case 'conceal':
      return repair === 'silence' ? silent() : decoder.conceal(playout.durationMs);
    case 'gap':
      return silent();
  }
}
