import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { durationText, exactTime, relativeTime } from './time-format.ts';

/** The current time, updated at this interval, or never if it is null. */
export function useNow(intervalMs: number | null): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (intervalMs === null) return;
    const timer = setInterval(() => setNowMs(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return nowMs;
}

/** `3:05`. */
export function Duration({ ms }: { ms: number }) {
  return <span className="numbers">{durationText(ms)}</span>;
}

/** Time since `since` (ISO 8601), updated every second. */
export function RunningDuration({ since }: { since: string }) {
  const nowMs = useNow(1000);
  return <Duration ms={Math.max(0, nowMs - Date.parse(since))} />;
}

const REFRESH_MS = 20_000;

/** `3 min ago`, with the exact time in a tooltip. `at`: ISO 8601. */
export function RelativeTime({ at }: { at: string }) {
  // Resets when `at` changes, because the new time may be later than the last update of the old one.
  return <UpdatedTime key={at} at={at} />;
}

function UpdatedTime({ at }: { at: string }) {
  const nowMs = useNow(REFRESH_MS);
  const atMs = Date.parse(at);
  return (
    <Tooltip label={exactTime(atMs)}>
      <time dateTime={at}>{relativeTime(atMs, nowMs)}</time>
    </Tooltip>
  );
}
