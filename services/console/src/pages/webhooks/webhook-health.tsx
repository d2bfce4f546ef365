import type { Schemas } from '../../api/client.ts';
import { StatusBadge } from '../../components/status-badge.tsx';

export function WebhookHealth({ webhook }: { webhook: Schemas['Webhook'] }) {
  return webhook.status === 'unhealthy' ? (
    <StatusBadge tone="bad">Unhealthy</StatusBadge>
  ) : (
    <StatusBadge tone="good">Healthy</StatusBadge>
  );
}
