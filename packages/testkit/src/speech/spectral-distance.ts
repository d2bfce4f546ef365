const FFT_SIZE = 512;
const HOP = FFT_SIZE / 2;
const BANDS = 18;
const LOWEST_HZ = 100;
/** Lower levels are masked by the loudest. */
const FLOOR_DB = -50;

/**
 * Spectral distance of two recordings of equal length and timing: the RMS difference of their levels in dB over
 * mel bands and the frames in which `expected` is not silent. 0 is identical; speech against silence is about
 * 35.
 */
export function spectralDistanceDb(expected: Int16Array, actual: Int16Array, sampleRateHz: number): number {
  const wanted = bandLevels(expected, sampleRateHz);
  const got = bandLevels(actual, sampleRateHz);
  const loudestDb = Math.max(...wanted.flat());
  const floorDb = loudestDb + FLOOR_DB;
  let sum = 0;
  let count = 0;
  wanted.forEach((levels, i) => {
    if (Math.max(...levels) < loudestDb - 35) return;
    levels.forEach((level, band) => {
      const other = Math.max(floorDb, got[i]?.[band] ?? floorDb);
      sum += (Math.max(floorDb, level) - other) ** 2;
      count += 1;
    });
  });
  return Math.sqrt(sum / count);
}

/** Lag of `actual` behind `expected` in samples, where they match best; at most `maxDelay`. */
export function delayBehind(expected: Int16Array, actual: Int16Array, maxDelay: number): number {
  let best = { delay: 0, match: -Infinity };
  for (let delay = 0; delay <= maxDelay; delay += 1) {
    let match = 0;
    for (let i = 0; i + delay < actual.length; i += 1) match += (expected[i] ?? 0) * (actual[i + delay] ?? 0);
    if (match > best.match) best = { delay, match };
  }
  return best.delay;
}

function bandLevels(samples: Int16Array, sampleRateHz: number): number[][] {
  const bandOfBin = bandsOfBins(sampleRateHz);
  const frames: number[][] = [];
  for (let start = 0; start + FFT_SIZE <= samples.length; start += HOP) {
    const powers = new Float64Array(BANDS);
    powerSpectrum(samples.subarray(start, start + FFT_SIZE)).forEach((power, bin) => {
      const band = bandOfBin[bin] ?? -1;
      if (band >= 0) powers[band] = (powers[band] ?? 0) + power;
    });
    frames.push(Array.from(powers, (power) => 10 * Math.log10(power + 1e-9)));
  }
  return frames;
}

function bandsOfBins(sampleRateHz: number): number[] {
  const mel = (hz: number): number => Math.log(1 + hz / 700);
  const lowest = mel(LOWEST_HZ);
  const width = (mel(sampleRateHz / 2) - lowest) / BANDS;
  return Array.from({ length: FFT_SIZE / 2 }, (_, bin) => {
    const band = Math.floor((mel((bin * sampleRateHz) / FFT_SIZE) - lowest) / width);
    return band >= 0 && band < BANDS ? band : -1;
  });
}

/** Spectrum of the first half of the bins: radix-2 FFT with a Hann window. */
function powerSpectrum(frame: Int16Array): Float64Array {
  const re = new Float64Array(FFT_SIZE);
  const im = new Float64Array(FFT_SIZE);
  const bits = Math.log2(FFT_SIZE);
  frame.forEach((sample, i) => {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit += 1) reversed |= ((i >> bit) & 1) << (bits - 1 - bit);
    re[reversed] = sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FFT_SIZE));
  });
  for (let half = 1; half < FFT_SIZE; half *= 2) {
    for (let k = 0; k < half; k += 1) {
      const cos = Math.cos((-Math.PI * k) / half);
      const sin = Math.sin((-Math.PI * k) / half);
      for (let i = k; i < FFT_SIZE; i += 2 * half) {
        const j = i + half;
        const turnedRe = (re[j] ?? 0) * cos - (im[j] ?? 0) * sin;
        const turnedIm = (re[j] ?? 0) * sin + (im[j] ?? 0) * cos;
        re[j] = (re[i] ?? 0) - turnedRe;
        im[j] = (im[i] ?? 0) - turnedIm;
        re[i] = (re[i] ?? 0) + turnedRe;
        im[i] = (im[i] ?? 0) + turnedIm;
      }
    }
  }
  return re.subarray(0, FFT_SIZE / 2).map((value, i) => value ** 2 + (im[i] ?? 0) ** 2);
}
