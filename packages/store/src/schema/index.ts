import type { AccountTables } from './account-tables.ts';
import type { AgentTables } from './agent-tables.ts';
import type { CallTables } from './call-tables.ts';
import type { CorpusTables } from './corpus-tables.ts';
import type { OutboxTable } from './outbox.ts';
import type { ScheduledBatchTables } from './scheduled-batch-tables.ts';
import type { TelephonyTables } from './telephony-tables.ts';
import type { TestRunTables } from './test-run-tables.ts';
import type { ToolTables } from './tool-tables.ts';
import type { VoiceTables } from './voice-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

export interface Schema
  extends
    AccountTables,
    AgentTables,
    CallTables,
    CorpusTables,
    ScheduledBatchTables,
    TelephonyTables,
    TestRunTables,
    ToolTables,
    VoiceTables,
    WebhookTables {
  outbox: OutboxTable;
}
