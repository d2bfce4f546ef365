import { durationText } from './time-format.ts';
import { useNow } from './use-now.ts';

/** `3:05`. */
export function Duration({ ms }: { ms: number }) {
  return <span className="numbers">{durationText(ms)}</span>;
}

/** How long it has been since `since` (ISO 8601), running. */
export function RunningDuration({ since }: { since: string }) {
  const nowMs = useNow(1000);
  return <Duration ms={Math.max(0, nowMs - Date.parse(since))} />;
}
