import type { WebhookEvent, WebhookFailure } from '@calls/api-contract/rest/webhook';
import type { ColumnType, Generated } from 'kysely';

export interface WebhookTable {
  webhook_id: string;
  account_id: string;
  /** Null: of all calls. */
  agent_id: string | null;
  url: string;
  /** Sealed. */
  secrets: ColumnType<string[], string, string>;
  events: WebhookEvent[];
  status: Generated<'normal' | 'unhealthy'>;
  last_status_change: Date | null;
  /** Tries that failed since the last that didn't. */
  consecutive_failures: Generated<number>;
  recent_failures: ColumnType<WebhookFailure[], string | undefined, string>;
  created_at: ColumnType<Date, Date, never>;
}
