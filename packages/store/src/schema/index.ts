import type { AccountTable, InvoiceTable } from './account.ts';
import type { AgentTables } from './agent-tables.ts';
import type { ApiKeyTable } from './api-key.ts';
import type { CallEventLogTable, CallEventTable } from './call-event.ts';
import type { CallMessageTable } from './call-message.ts';
import type { CallStageTable } from './call-stage.ts';
import type { CallTables } from './call-tables.ts';
import type { CallThrottleTables } from './call-throttle-tables.ts';
import type { CallTable } from './call.ts';
import type { CorpusTables } from './corpus-tables.ts';
import type { IntegrationTables } from './integration-tables.ts';
import type { OutboxTable } from './outbox.ts';
import type { ScheduledBatchTables } from './scheduled-batch-tables.ts';
import type { ToolTables } from './tool-tables.ts';
import type { VoiceTable } from './voice.ts';

export interface Schema
  extends
    AgentTables,
    CallTables,
    CallThrottleTables,
    CorpusTables,
    IntegrationTables,
    ScheduledBatchTables,
    ToolTables {
  accounts: AccountTable;
  invoices: InvoiceTable;
  api_keys: ApiKeyTable;
  calls: CallTable;
  call_stages: CallStageTable;
  call_messages: CallMessageTable;
  call_events: CallEventTable;
  call_event_log: CallEventLogTable;
  voices: VoiceTable;
  outbox: OutboxTable;
}
