import { Tooltip } from '@mantine/core';
import { useNow } from './use-now.ts';
import { exactTime, relativeTime } from './time-format.ts';

const REFRESH_MS = 20_000;

/** `3 min ago`, and the exact time where one points or focuses. `at`: ISO 8601. */
export function RelativeTime({ at }: { at: string }) {
  const nowMs = useNow(REFRESH_MS);
  const atMs = Date.parse(at);
  return (
    <Tooltip label={exactTime(atMs)}>
      <time dateTime={at}>{relativeTime(atMs, nowMs)}</time>
    </Tooltip>
  );
}
