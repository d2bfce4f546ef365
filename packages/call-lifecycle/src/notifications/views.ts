import { msToDuration } from '@calls/api-contract/duration';
import type { Call, CallSummary } from '@calls/api-contract/rest/call';
import { showCallSettings, type CallSettings } from '@calls/api-contract/rest/call-settings';
import type { ScheduledCallBatch } from '@calls/api-contract/rest/scheduled-batch';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { CallRow } from '@calls/store/tables/calls';
import type { ScheduledBatchRow } from '@calls/store/tables/scheduled-batches';
import { joinUrl } from './join-url.ts';
import { shownSettings } from './shown-settings.ts';

/** Shows a call as it is in each response of the API and in each webhook event. */
export type CallView = (row: CallRow) => Promise<Call>;

export function createCallView(deps: {
  mediaPublicUrl: string;
  tokens: JoinTokens;
  secretBox: SecretBox;
}): CallView {
  return async (row) => {
    // Clients cannot join a call by SIP.
    const url = row.settings.medium.sip ? null : await joinUrl(deps, row);
    return callView(row, shownSettings(deps.secretBox, row), url);
  };
}

function callView(row: CallRow, settings: CallSettings, joinUrl: string | null): Call {
  const { dataConnection, ...shown } = showCallSettings('call', settings);
  return {
    ...shown,
    ...(dataConnection && { dataConnectionConfig: dataConnection }),
    callId: row.call_id,
    clientVersion: row.client_version,
    created: row.created_at.toISOString(),
    joined: row.joined_at?.toISOString() ?? null,
    ended: row.ended_at?.toISOString() ?? null,
    endReason: row.end_reason,
    answeredBy: row.answered_by,
    billedDuration: durationOf(row.billed_duration_ms),
    billedSideInputTokens: row.side_input_tokens,
    billedSideOutputTokens: row.side_output_tokens,
    billingStatus: row.billing_status,
    firstSpeaker: settings.firstSpeakerSettings.user ? 'FIRST_SPEAKER_USER' : 'FIRST_SPEAKER_AGENT',
    joinUrl,
    retentionPolicy: row.retention_policy,
    admissionPreference: row.admission_class === 'standard' ? null : row.admission_class,
    shortSummary: row.short_summary,
    summary: row.summary,
    ...(row.analysis && { analysis: row.analysis }),
    metadata: row.metadata,
    ...agentOf(row),
    agentId: row.agent_id,
    agentRevisionId: row.agent_revision_id,
    requestContext: row.request_context,
    ...(row.settings.medium.sip && {
      sipDetails: {
        billedDuration: durationOf(row.sip_billed_duration_ms),
        terminationReason: row.sip_termination,
      },
    }),
  };
}

/** Shows a call in short form. */
export type CallSummaryView = (row: CallRow) => CallSummary;

const MAX_PROMPT_CHARACTERS = 100;

export function createCallSummaryView({ secretBox }: { secretBox: SecretBox }): CallSummaryView {
  return (row) => {
    const { medium, systemPrompt } = showCallSettings('call', shownSettings(secretBox, row));
    const prompt = row.agent_id === null ? systemPrompt : null;
    return {
      callId: row.call_id,
      created: row.created_at.toISOString(),
      joined: row.joined_at?.toISOString() ?? null,
      ended: row.ended_at?.toISOString() ?? null,
      endReason: row.end_reason,
      billingStatus: row.billing_status,
      medium,
      ...agentOf(row),
      systemPrompt: prompt?.slice(0, MAX_PROMPT_CHARACTERS).toWellFormed() ?? null,
      shortSummary: row.short_summary,
    };
  };
}

function agentOf({ agent_id: agentId, agent_name: name }: CallRow): Pick<Call, 'agent'> {
  return agentId === null ? {} : { agent: { agentId, name: name ?? '' } };
}

function durationOf(ms: number | null): string | null {
  return ms === null ? null : msToDuration(ms);
}

/** A batch in the form of the API. */
export function batchFacts(row: ScheduledBatchRow): ScheduledCallBatch {
  return {
    batchId: row.batch_id,
    created: row.created_at.toISOString(),
    windowStart: row.window_start?.toISOString() ?? null,
    windowEnd: row.window_end?.toISOString() ?? null,
    throttle: row.throttle,
    webhookUrl: row.webhook_url,
    paused: row.paused,
    totalCount: row.total_count,
    completedCount: row.completed_count,
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
