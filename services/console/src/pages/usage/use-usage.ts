import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { dataOf, api } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { instantsOf, type UsageRange } from './usage-range.ts';

/** Usage in the range, in total and by agent, the quality of its calls, and the concurrency. */
export function useUsage(range: UsageRange, agentId: string) {
  const { fromDate, toDate } = instantsOf(range);
  const query = { fromDate, toDate, ...(agentId !== '' && { agentIds: [agentId] }) };
  const options = { placeholderData: keepPreviousData, refetchInterval: SLOW_REFRESH_MS };
  const calls = useQuery({
    queryKey: ['usage', 'calls', query],
    queryFn: () => dataOf(api.GET('/api/accounts/me/usage/calls', { params: { query } })),
    ...options,
  });
  const quality = useQuery({
    queryKey: ['usage', 'quality', query],
    queryFn: () => dataOf(api.GET('/api/accounts/me/usage/quality', { params: { query } })),
    ...options,
  });
  const agents = useQuery({
    queryKey: ['usage', 'agents', query],
    queryFn: () => dataOf(api.GET('/api/agents/usage', { params: { query } })),
    ...options,
  });
  const concurrency = useQuery({
    queryKey: ['usage', 'concurrency', fromDate, toDate],
    queryFn: () =>
      dataOf(
        api.GET('/api/accounts/me/usage/concurrency', {
          params: { query: { bucket: 'day', start: fromDate, end: toDate } },
        }),
      ),
    ...options,
  });
  return { calls, quality, agents, concurrency };
}
