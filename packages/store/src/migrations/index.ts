import type { Migration } from 'kysely/migration';
import { firstTables } from './0001-first-tables.ts';
import { recordings } from './0002-recordings.ts';
import { callThrottles } from './0003-call-throttles.ts';
import { agents } from './0004-agents.ts';
import { tools } from './0005-tools.ts';
import { integrations } from './0006-integrations.ts';
import { voices } from './0007-voices.ts';
import { corpora } from './0008-corpora.ts';
import { calls } from './0009-calls.ts';
import { scheduledBatches } from './0010-scheduled-batches.ts';
import { callLists } from './0011-call-lists.ts';
import { telephony } from './0012-telephony.ts';
import { callStages } from './0013-call-stages.ts';
import { retention } from './0014-retention.ts';
import { callHolders } from './0015-call-holders.ts';
import { webhookDeliveries } from './0016-webhook-deliveries.ts';
import { outboxTrace } from './0017-outbox-trace.ts';
import { consoleCalls } from './0018-console-calls.ts';
import { agentRevisions } from './0019-agent-revisions.ts';
import { callsByEndReason } from './0020-calls-by-end-reason.ts';
import { telephonyCalls } from './0021-telephony-calls.ts';
import { sipCalls } from './0022-sip-calls.ts';
import { firstCallEvents } from './0023-first-call-events.ts';
import { severalFirstEvents } from './0024-several-first-events.ts';
import { billing } from './0025-billing.ts';
import { telephonyVendors } from './0026-telephony-vendors.ts';

/** In the order of their names. Applied migrations never change; add new ones at the end. */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0002-recordings': recordings,
  '0003-call-throttles': callThrottles,
  '0004-agents': agents,
  '0005-tools': tools,
  '0006-integrations': integrations,
  '0007-voices': voices,
  '0008-corpora': corpora,
  '0009-calls': calls,
  '0010-scheduled-batches': scheduledBatches,
  '0011-call-lists': callLists,
  '0012-telephony': telephony,
  '0013-call-stages': callStages,
  '0014-retention': retention,
  '0015-call-holders': callHolders,
  '0016-webhook-deliveries': webhookDeliveries,
  '0017-outbox-trace': outboxTrace,
  '0018-console-calls': consoleCalls,
  '0019-agent-revisions': agentRevisions,
  '0020-calls-by-end-reason': callsByEndReason,
  '0021-telephony-calls': telephonyCalls,
  '0022-sip-calls': sipCalls,
  '0023-first-call-events': firstCallEvents,
  '0024-several-first-events': severalFirstEvents,
  '0025-billing': billing,
  '0026-telephony-vendors': telephonyVendors,
};
