import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { dataOf, api } from './client.ts';
import { followCallChanges } from './follow-call-changes.ts';
import { LIVE_REFRESH_MS, SLOW_REFRESH_MS } from './queries.ts';

/** Minimum time between two refreshes that changes cause. */
const REFRESH_EVERY_MS = 1000;
const CHANGED = [['calls'], ['account']];

/**
 * Refreshes the lists of calls and the account when a call changes, while the page is visible. Returns the interval of
 * further refreshes: short while no changes are received.
 */
export function useCallsRefreshMs(): number {
  const queries = useQueryClient();
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let refreshedAtMs = -Infinity;
    const refresh = (): void => {
      // A refresh cancels running requests. If they take long, and calls change often, none would be completed.
      if (CHANGED.some((queryKey) => queries.isFetching({ queryKey }) > 0)) {
        timer = setTimeout(refresh, REFRESH_EVERY_MS);
        return;
      }
      timer = undefined;
      refreshedAtMs = performance.now();
      for (const queryKey of CHANGED) void queries.invalidateQueries({ queryKey });
    };
    const onChange = (): void => {
      timer ??= setTimeout(refresh, Math.max(0, refreshedAtMs + REFRESH_EVERY_MS - performance.now()));
    };
    let connection: AbortController | null = null;
    const close = (): void => {
      connection?.abort();
      connection = null;
    };
    // Closes the stream of hidden pages, because browsers allow few connections to a server and other tabs of the
    // console need them.
    const onVisibility = (): void => {
      if (document.hidden) {
        close();
        setLive(false);
      } else if (!connection) {
        connection = new AbortController();
        void followCallChanges({ open, onChange, onState: setLive }, connection.signal);
      }
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      close();
      clearTimeout(timer);
    };
  }, [queries]);
  return isLive ? SLOW_REFRESH_MS : LIVE_REFRESH_MS;
}

async function open(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const stream: unknown = await dataOf(api.GET('/api/calls/changes', { parseAs: 'stream', signal }));
  if (!(stream instanceof ReadableStream)) throw new Error('the response has no body');
  return stream as ReadableStream<Uint8Array>;
}
