import type { BatchRecord } from '../record-batch.ts';

/** Operations of the codec thread, and their results. */
export const Operation = {
  /** number: sample rate in Hz. */
  openEncoder: 0,
  openDecoder: 1,
  close: 2,
  /** number: media time in ms; payload: samples. Result: `packet`. */
  encode: 3,
  /** number: percent of lost packets. */
  expectLoss: 4,
  /** number: duration in ms, here and below. Result: `audio`. */
  decode: 5,
  recover: 6,
  conceal: 7,
  /** Result: `passed`. */
  pass: 8,
  packet: 9,
  /** payload: samples. */
  audio: 10,
  passed: 11,
  /** The stream has failed. payload: the reason in UTF-8. */
  error: 12,
} as const;

export type Operation = (typeof Operation)[keyof typeof Operation];

/** The samples of a record, as a view of the batch. */
export function samplesOf({ payload }: BatchRecord): Int16Array {
  return new Int16Array(payload.buffer, payload.byteOffset, payload.length / Int16Array.BYTES_PER_ELEMENT);
}
