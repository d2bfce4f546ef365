/** Tables of ITU-T G.722. */

const range = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first - i);

/** Taps of the quadrature mirror filter, as they alternate between even and odd samples (table 11). */
export const QMF = Int32Array.of(
  ...[3, -11, -11, 53, 12, -156, 32, 362, -210, -805, 951, 3876],
  ...[3876, 951, -805, -210, 362, 32, -156, 12, 53, -11, -11, 3],
);

/** Decision levels of the 6-bit quantizer (table 14, Q6). Index 0 is not used. */
export const LOW_LEVELS = Int32Array.of(
  ...[0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650],
  ...[714, 786, 858, 940, 1023, 1121, 1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919],
);
/** Codes by level, of negative and other differences (ILN, ILP). */
export const LOW_CODES_NEGATIVE = Int32Array.of(0, 63, 62, ...range(31, 28));
export const LOW_CODES_POSITIVE = Int32Array.of(0, ...range(61, 30));

/** Values of the codes' first four bits, and of all six (QQ4, QQ6). */
export const LOW_VALUES_4_BIT = Int32Array.of(
  ...[0, -20_456, -12_896, -8968, -6288, -4240, -2584, -1200],
  ...[20_456, 12_896, 8968, 6288, 4240, 2584, 1200, 0],
);
const LOW_MAGNITUDES = [
  ...[24_808, 21_904, 19_008, 16_704, 14_984, 13_512, 12_280, 11_192, 10_232, 9360, 8576, 7856, 7192, 6576],
  ...[6000, 5456, 4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728],
];
export const LOW_VALUES_6_BIT = Int32Array.of(
  ...[-136, -136, -136, -136],
  ...LOW_MAGNITUDES.map((magnitude) => -magnitude),
  ...LOW_MAGNITUDES,
  ...[432, 136, -432, -136],
);

/** Steps of the logarithmic scale factor of the lower band by the code's first four bits (WL, RL42). */
export const LOW_LOG_STEPS = Int32Array.of(-60, -30, 58, 172, 334, 538, 1198, 3042);
export const LOW_STEP_INDEX = Int32Array.of(0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0);

/** Upper band: codes by magnitude, values, and steps of the scale factor (IHN, IHP, QQ2, WH, RH2). */
export const HIGH_CODES = { negative: { small: 1, large: 0 }, positive: { small: 3, large: 2 } } as const;
export const HIGH_VALUES = Int32Array.of(-7408, -1616, 7408, 1616);
export const HIGH_LOG_STEPS = Int32Array.of(0, -214, 798);
export const HIGH_STEP_INDEX = Int32Array.of(2, 1, 2, 1);

/** Powers of two from 2048 on, in 32 steps per octave (ILB). */
export const INVERSE_LOG = Int32Array.of(
  ...[2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834],
  ...[2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008],
);
