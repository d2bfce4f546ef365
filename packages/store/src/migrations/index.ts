import type { Migration } from 'kysely/migration';
import { initialSchema } from './0001-first-tables.ts';
import {
  recordings,
  callThrottles,
  agents,
  tools,
  integrations,
  voices,
  corpora,
  calls,
  scheduledBatches,
} from './0002-to-0010.ts';
import { callLists } from './0011-call-lists.ts';
import {
  telephony,
  callStages,
  retention,
  callHolders,
  webhookDeliveries,
  outboxTrace,
  consoleCalls,
  agentRevisions,
  callsByEndReason,
  telephonyCalls,
  sipCalls,
  firstCallEvents,
  severalFirstEvents,
  billing,
  telephonyVendors,
} from './0012-to-0026.ts';
import { heldSipRegistrations, sipTrunks, answeredBy, sipTrunkCodecs, transferLegs } from './0027-to-0031.ts';
import { administration } from './0032-administration.ts';
import { accountInvitations } from './0033-account-invitations.ts';
import { testRuns } from './0034-test-runs.ts';
import { callAnalyses } from './0035-call-analyses.ts';
import { corpusVectors } from './0037-corpus-vectors.ts';
import { mcpToolLists } from './0038-mcp-tool-lists.ts';
import { testsRequired } from './0039-tests-required.ts';
import { indexedVectors } from './0040-indexed-vectors.ts';
import { members } from './0041-members.ts';
import { testSuites } from './0042-test-suites.ts';
import { requestDigests } from './0043-request-digests.ts';
import { providerCallIds } from './0044-provider-call-ids.ts';
import { batchRequestDigests } from './0045-batch-request-digests.ts';
import { agentsByName } from './0046-agents-by-name.ts';
import { testRunHoldsInMicroseconds } from './0047-test-run-holds-in-microseconds.ts';
import { callsByPhoneNumber } from './0048-calls-by-phone-number.ts';

/**
 * In the order of their names. Applied migrations never change; add new ones at the end, each in a file of its own (small
 * ones of earlier releases share a file).
 */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': initialSchema,
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
  '0027-held-sip-registrations': heldSipRegistrations,
  '0028-sip-trunks': sipTrunks,
  '0029-answered-by': answeredBy,
  '0030-sip-trunk-codecs': sipTrunkCodecs,
  '0031-transfer-legs': transferLegs,
  '0032-administration': administration,
  '0033-account-invitations': accountInvitations,
  '0034-test-runs': testRuns,
  '0035-call-analyses': callAnalyses,
  '0037-corpus-vectors': corpusVectors,
  '0038-mcp-tool-lists': mcpToolLists,
  '0039-tests-required': testsRequired,
  '0040-indexed-vectors': indexedVectors,
  '0041-members': members,
  '0042-test-suites': testSuites,
  '0043-request-digests': requestDigests,
  '0044-provider-call-ids': providerCallIds,
  '0045-batch-request-digests': batchRequestDigests,
  '0046-agents-by-name': agentsByName,
  '0047-test-run-holds-in-microseconds': testRunHoldsInMicroseconds,
  '0048-calls-by-phone-number': callsByPhoneNumber,
};
