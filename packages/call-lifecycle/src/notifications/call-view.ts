import { msToDuration } from '@calls/api-contract/duration';
import type { Call } from '@calls/api-contract/rest/call';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { CallSettings } from '@calls/store/schema/call';
import type { CallRow } from '@calls/store/tables/calls';
import { joinUrl } from './join-url.ts';
import { shownSettings } from './shown-settings.ts';

/** Shows a call as every endpoint of the API does, and as webhooks are told of it. */
export type CallView = (row: CallRow) => Promise<Call>;

export function createCallView(deps: {
  mediaPublicUrl: string;
  tokens: JoinTokens;
  secretBox: SecretBox;
}): CallView {
  return async (row) => {
    // A phone call by SIP is nobody's to join.
    const url = row.settings.medium.sip ? null : await joinUrl(deps, row);
    return callView(row, shownSettings(deps.secretBox, row), url);
  };
}

function callView(row: CallRow, settings: CallSettings, joinUrl: string | null): Call {
  const { externalVoice, voiceOverrides, vadSettings, callbacks, backgroundAudio, dataConnection } = settings;
  return {
    callId: row.call_id,
    clientVersion: row.client_version,
    created: row.created_at.toISOString(),
    joined: row.joined_at?.toISOString() ?? null,
    ended: row.ended_at?.toISOString() ?? null,
    endReason: row.end_reason,
    billedDuration: durationOf(row.billed_duration_ms),
    billedSideInputTokens: row.side_input_tokens,
    billedSideOutputTokens: row.side_output_tokens,
    billingStatus: row.billing_status,
    firstSpeaker: settings.firstSpeakerSettings.user ? 'FIRST_SPEAKER_USER' : 'FIRST_SPEAKER_AGENT',
    firstSpeakerSettings: settings.firstSpeakerSettings,
    inactivityMessages: settings.inactivityMessages ?? [],
    initialOutputMedium: settings.initialOutputMedium,
    mediumRestriction: settings.mediumRestriction ?? null,
    joinTimeout: settings.joinTimeout,
    joinUrl,
    languageHint: settings.languageHint ?? null,
    maxDuration: settings.maxDuration,
    medium: settings.medium,
    model: settings.model,
    recordingEnabled: settings.recordingEnabled,
    retentionPolicy: row.retention_policy,
    admissionPreference: row.admission_class === 'standard' ? null : row.admission_class,
    systemPrompt: settings.systemPrompt ?? null,
    temperature: settings.temperature,
    timeExceededMessage: settings.timeExceededMessage ?? null,
    voice: settings.voice ?? null,
    transcriptOptional: settings.transcriptOptional ?? true,
    shortSummary: row.short_summary,
    summary: row.summary,
    metadata: row.metadata,
    ...(row.agent_id !== null && { agent: { agentId: row.agent_id, name: row.agent_name ?? '' } }),
    agentId: row.agent_id,
    agentRevisionId: row.agent_revision_id,
    experimentalSettings: settings.experimentalSettings ?? null,
    initialState: settings.initialState ?? {},
    requestContext: row.request_context,
    ...(externalVoice && { externalVoice }),
    ...(voiceOverrides && { voiceOverrides }),
    ...(vadSettings && { vadSettings }),
    ...(callbacks && { callbacks }),
    ...(backgroundAudio && { backgroundAudio }),
    ...(dataConnection && { dataConnectionConfig: dataConnection }),
    ...(row.settings.medium.sip && {
      sipDetails: {
        billedDuration: durationOf(row.sip_billed_duration_ms),
        terminationReason: row.sip_termination,
      },
    }),
  };
}

function durationOf(ms: number | null): string | null {
  return ms === null ? null : msToDuration(ms);
}
