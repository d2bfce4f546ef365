import { decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { LossConcealment } from '@calls/audio/loss-concealment';
import { concatSamples } from '@calls/audio/pcm';
import { resample, withNoise } from '@calls/testkit/speech/shaping';
import { RATE_HZ } from '../recordings/read-recording.ts';
import type { Draws } from './random.ts';

/** The channel between the speaker and the service. Numbers are signal-to-noise ratios in decibels. */
export const CHANNELS = [
  'clean',
  'phone',
  'phone-loss',
  'noise-20',
  'noise-10',
  'noise-5',
  'babble-20',
  'babble-10',
  'babble-5',
  'music-10',
  'speaker-10',
] as const;
export type Channel = (typeof CHANNELS)[number];

/** Background sounds at RATE_HZ; longer than any turn, or looped. */
export type Backgrounds = Readonly<Record<'babble' | 'music' | 'speaker', Int16Array>>;

const PHONE_RATE_HZ = 8000;
const PACKET_SAMPLES = PHONE_RATE_HZ / 50;
/** 5 % of packets are lost, two in a row on average. */
const LOSS_BEGINS = 0.026;
const LOSS_ENDS = 0.5;
/** A quiet room. */
const ROOM_SNR_DB = 45;

/** The turn's audio (16 kHz, digital silence in its pauses) after transmission over the channel, of the same length. */
export function throughChannel(
  turn: Int16Array,
  channel: Channel,
  backgrounds: Backgrounds,
  draws: Draws,
): Int16Array {
  const seed = draws.index(2 ** 31);
  const noisy = (snrDb: number, bed?: Int16Array): Int16Array =>
    withNoise(turn, {
      snrDb,
      seed,
      sampleRateHz: RATE_HZ,
      ...(bed && { babble: rotated(bed, draws.index(bed.length)) }),
    });
  const room = (): Int16Array => noisy(ROOM_SNR_DB);
  switch (channel) {
    case 'clean':
      return room();
    case 'phone':
      return byPhone(room(), () => false);
    case 'phone-loss': {
      let isLost = false;
      return byPhone(room(), () => {
        isLost = isLost ? draws.number() >= LOSS_ENDS : draws.number() < LOSS_BEGINS;
        return isLost;
      });
    }
    case 'noise-20':
      return noisy(20);
    case 'noise-10':
      return noisy(10);
    case 'noise-5':
      return noisy(5);
    case 'babble-20':
      return noisy(20, backgrounds.babble);
    case 'babble-10':
      return noisy(10, backgrounds.babble);
    case 'babble-5':
      return noisy(5, backgrounds.babble);
    case 'music-10':
      return noisy(10, backgrounds.music);
    case 'speaker-10':
      return noisy(10, backgrounds.speaker);
  }
}

/** µ-law at 8 kHz in packets of 20 ms. Lost packets are concealed as in a call. */
function byPhone(samples: Int16Array, isLost: () => boolean): Int16Array {
  const narrow = decodeMuLaw(encodeMuLaw(resample(samples, RATE_HZ, PHONE_RATE_HZ)));
  const concealment = new LossConcealment(PHONE_RATE_HZ);
  const packets: Int16Array[] = [];
  for (let at = 0; at < narrow.length; at += PACKET_SAMPLES) {
    const packet = narrow.slice(at, at + PACKET_SAMPLES);
    if (isLost()) packets.push(concealment.conceal(packet.length));
    else {
      concealment.received(packet);
      packets.push(packet);
    }
  }
  return resample(concatSamples(packets), PHONE_RATE_HZ, RATE_HZ);
}

function rotated(samples: Int16Array, by: number): Int16Array {
  return concatSamples([samples.subarray(by), samples.subarray(0, by)]);
}
