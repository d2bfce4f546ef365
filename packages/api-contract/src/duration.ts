import { Pattern } from '@calls/foundation/schema/annotations';

/** Seconds with an `s` suffix and up to nine fractional digits, like durations in protobuf's JSON mapping. */
export const DURATION_PATTERN = '^-?(?:0|[1-9][0-9]{0,11})(?:\\.[0-9]{1,9})?s$';

export const Duration = Pattern(
  DURATION_PATTERN,
  'must be a duration in seconds with an "s" suffix, such as "0.384s"',
);

/** `"1.5s"` → 1500. The text must fit DURATION_PATTERN; fractions of a millisecond are preserved. */
export function durationToMs(text: string): number {
  return Number((Number(text.slice(0, -1)) * 1000).toFixed(6));
}

/** 1500 → `"1.5s"`; rounded to whole microseconds, no trailing zeros. */
export function msToDuration(ms: number): string {
  return `${Number((ms / 1000).toFixed(6))}s`;
}
