const RATE_HZ = 16_000;

/** A sine wave at 16 kHz. */
export function tone(frequencyHz: number, ms: number, level = 6000): Int16Array {
  return Int16Array.from(
    { length: (ms * RATE_HZ) / 1000 },
    (_, i) => level * Math.sin((2 * Math.PI * frequencyHz * i) / RATE_HZ),
  );
}

/** Power of one frequency in audio at 16 kHz (Goertzel, blocks of 100 ms). */
export function powerAt(samples: Int16Array, frequencyHz: number): number {
  const block = RATE_HZ / 10;
  const factor = 2 * Math.cos((2 * Math.PI * frequencyHz) / RATE_HZ);
  let power = 0;
  for (let from = 0; from + block <= samples.length; from += block) {
    let [before, last] = [0, 0];
    for (const sample of samples.subarray(from, from + block))
      [before, last] = [last, sample + factor * last - before];
    power += before * before + last * last - factor * before * last;
  }
  return power;
}
