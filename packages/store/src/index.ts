export {
  pagesOf,
  type CursorKey,
  type Direction,
  type ListOrder,
  type PageFetch,
  type PageSource,
} from './keyset.ts';
export { assertMigrated, migrate } from './migrate.ts';
export { FEATURES, PLANS, type Feature, type Plan } from './schema/account.ts';
export type { CallSettings } from './schema/call.ts';
export type { StageOverrides } from './schema/call-stage.ts';
export type { OutboxMessage, OutboxTopic } from './schema/outbox.ts';
export type { ScheduledCallState, StoredScheduledCall } from './schema/scheduled-batch-tables.ts';
export type { StoredSecret } from './schema/telephony.ts';
export { withSetUpLock } from './set-up-lock.ts';
export * from './store-error.ts';
export { openStore, type Database, type Store } from './store.ts';
export * from './tables/accounts.ts';
export * from './tables/agent-revisions.ts';
export * from './tables/agents.ts';
export * from './tables/api-keys.ts';
export * from './tables/call-concurrency.ts';
export * from './tables/call-events.ts';
export * from './tables/call-facts.ts';
export * from './tables/call-lists.ts';
export * from './tables/call-messages.ts';
export * from './tables/call-stages.ts';
export * from './tables/call-throttles.ts';
export * from './tables/call-tools.ts';
export * from './tables/call-usage.ts';
export * from './tables/calls.ts';
export * from './tables/corpora.ts';
export * from './tables/corpus-crawl.ts';
export * from './tables/corpus-documents.ts';
export * from './tables/corpus-loading.ts';
export * from './tables/corpus-search.ts';
export * from './tables/corpus-sources.ts';
export * from './tables/deleted-calls.ts';
export * from './tables/delivery-runs.ts';
export * from './tables/invoices.ts';
export * from './tables/live-use.ts';
export * from './tables/new-call.ts';
export * from './tables/outbox.ts';
export * from './tables/provider-keys.ts';
export * from './tables/scheduled-batches.ts';
export * from './tables/scheduled-batch-runs.ts';
export * from './tables/sealed-texts.ts';
export * from './tables/sip.ts';
export * from './tables/telephony-configs.ts';
export * from './tables/tools.ts';
export * from './tables/voices.ts';
export * from './tables/webhook-deliveries.ts';
export * from './tables/webhooks.ts';
