import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../components/status-badge.tsx';

export function WebhookHealth({ webhook }: { webhook: Schemas['Webhook'] }) {
  return webhook.status === 'unhealthy' ? (
    <StatusBadge tone="bad">Unhealthy</StatusBadge>
  ) : (
    <StatusBadge tone="good">Healthy</StatusBadge>
  );
}

/** The calls whose events a webhook receives. */
export function WebhookScope({ agentId }: { agentId?: string | null }) {
  const agent = useQuery({
    queryKey: ['agent', agentId],
    enabled: agentId != null,
    queryFn: () =>
      dataOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId ?? '' } } })),
  });
  if (agentId == null) return <>All calls</>;
  if (agent.isPending) return <Skeleton height={12} width={90} />;
  return <>{agent.data ? agent.data.name || 'Unnamed agent' : 'A deleted agent'}</>;
}
