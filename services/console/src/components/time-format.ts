const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Older times are shown as dates. */
const RELATIVE_MS = 7 * DAY_MS;

/** `just now`, `3 min ago`, `2 h ago`, `5 d ago`, `in 3 h`; a date after one week. */
export function relativeTime(atMs: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - atMs);
  if (distanceMs >= RELATIVE_MS) return dateOf(atMs, nowMs);
  if (distanceMs < MINUTE_MS) return atMs > nowMs ? 'in a moment' : 'just now';
  const amount = amountOf(distanceMs);
  return atMs > nowMs ? `in ${amount}` : `${amount} ago`;
}

function amountOf(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}

function dateOf(atMs: number, nowMs: number): string {
  const at = new Date(atMs);
  const isThisYear = at.getFullYear() === new Date(nowMs).getFullYear();
  return at.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  });
}

export function exactTime(atMs: number): string {
  return new Date(atMs).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
}

/** `0.4 s`, `12 s`, `3:05`, `1:02:09`. */
export function durationText(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** Parses a duration of the API, `90s` or `1.500s`; NaN for other text. */
export function apiDurationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)s$/u.exec(text);
  return match ? Number(match[1]) * 1000 : NaN;
}
