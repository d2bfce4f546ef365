import { accountOperations } from './accounts.operations.ts';
import { agentOperations } from './agents.operations.ts';
import { apiKeyOperations } from './api-keys.operations.ts';
import { callThrottleOperations } from './call-throttles.operations.ts';
import { callOperations } from './calls.operations.ts';
import { corpusOperations } from './corpora.operations.ts';
import { deletedCallOperations } from './deleted-calls.operations.ts';
import { engineOperations } from './engines.operations.ts';
import { invitationOperations } from './invitations.operations.ts';
import { modelOperations } from './models.operations.ts';
import type { AnyOperation } from './operation.ts';
import { schemaOperations } from './schema.operations.ts';
import { scheduledBatchOperations } from './scheduled-batches.operations.ts';
import { sipOperations } from './sip.operations.ts';
import { sipTrunkOperations } from './sip-trunks.operations.ts';
import { telephonyOperations } from './telephony.operations.ts';
import { testRunOperations } from './test-runs.operations.ts';
import { toolOperations } from './tools.operations.ts';
import { ttsKeyOperations } from './tts-keys.operations.ts';
import { usageOperations } from './usage.operations.ts';
import { voiceOperations } from './voices.operations.ts';
import { webhookDeliveryOperations } from './webhook-deliveries.operations.ts';
import { webhookOperations } from './webhooks.operations.ts';

export * from './accounts.operations.ts';
export * from './agents.operations.ts';
export * from './api-keys.operations.ts';
export * from './call-filters.ts';
export * from './call-stages.operations.ts';
export * from './call-throttles.operations.ts';
export * from './calls.operations.ts';
export * from './corpora.operations.ts';
export * from './deleted-calls.operations.ts';
export * from './engines.operations.ts';
export * from './models.operations.ts';
export * from './invitations.operations.ts';
export * from './operation.ts';
export * from './scheduled-batches.operations.ts';
export * from './schema.operations.ts';
export * from './sip.operations.ts';
export * from './sip-trunks.operations.ts';
export * from './telephony.operations.ts';
export * from './test-runs.operations.ts';
export * from './tools.operations.ts';
export * from './tts-keys.operations.ts';
export * from './usage.operations.ts';
export * from './voices.operations.ts';
export * from './webhook-deliveries.operations.ts';
export * from './webhooks.operations.ts';

/** Every operation of the REST API. */
export const operations: readonly AnyOperation[] = [
  ...callOperations,
  ...deletedCallOperations,
  ...agentOperations,
  ...scheduledBatchOperations,
  ...toolOperations,
  ...voiceOperations,
  ...modelOperations,
  ...engineOperations,
  ...corpusOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...callThrottleOperations,
  ...testRunOperations,
  ...apiKeyOperations,
  ...invitationOperations,
  ...accountOperations,
  ...ttsKeyOperations,
  ...usageOperations,
  ...telephonyOperations,
  ...sipOperations,
  ...sipTrunkOperations,
  ...schemaOperations,
];
