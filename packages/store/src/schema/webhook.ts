import type { WebhookEvent, WebhookFailure } from '@calls/api-contract/rest/webhook';
import type { ColumnType, Generated } from 'kysely';

export interface WebhookTable {
  webhook_id: string;
  account_id: string;
  /** Null: calls of all agents. */
  agent_id: string | null;
  url: string;
  /** Encrypted. */
  secrets: ColumnType<string[], string, string>;
  events: WebhookEvent[];
  status: Generated<'normal' | 'unhealthy'>;
  last_status_change: Date | null;
  /** Failed attempts since the last successful one. */
  consecutive_failures: Generated<number>;
  recent_failures: ColumnType<WebhookFailure[], string | undefined, string>;
  created_at: ColumnType<Date, Date, never>;
}
