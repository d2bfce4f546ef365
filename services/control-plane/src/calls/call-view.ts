import { msToDuration, type Call, type CallEvent, type Message } from '@calls/api-contract';
import type { SecretBox } from '@calls/secret-box';
import type { CallEventRow, CallMessageRow, CallRow, CallSettings } from '@calls/store';
import { shownSettings } from './shown-settings.ts';

/** Shows a call as every endpoint of the API does. */
export type CallView = (row: CallRow) => Promise<Call>;

export function createCallView(parts: {
  joinUrl: (call: CallRow) => Promise<string>;
  secretBox: SecretBox;
}): CallView {
  return async (row) => callView(row, shownSettings(parts.secretBox, row), await parts.joinUrl(row));
}

function callView(row: CallRow, settings: CallSettings, joinUrl: string): Call {
  return {
    callId: row.call_id,
    clientVersion: row.client_version,
    created: row.created_at.toISOString(),
    joined: row.joined_at?.toISOString() ?? null,
    ended: row.ended_at?.toISOString() ?? null,
    endReason: row.end_reason,
    billedDuration: row.billed_duration_ms === null ? null : msToDuration(row.billed_duration_ms),
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
    externalVoice: settings.externalVoice ?? null,
    voiceOverrides: settings.voiceOverrides ?? null,
    transcriptOptional: settings.transcriptOptional ?? true,
    vadSettings: settings.vadSettings ?? null,
    shortSummary: row.short_summary,
    summary: row.summary,
    metadata: row.metadata,
    agent: row.agent_id === null ? null : { agentId: row.agent_id, name: row.agent_name ?? '' },
    agentId: row.agent_id,
    experimentalSettings: settings.experimentalSettings ?? null,
    initialState: settings.initialState ?? {},
    requestContext: row.request_context,
    dataConnectionConfig: settings.dataConnection ?? null,
    callbacks: settings.callbacks ?? null,
    backgroundAudio: settings.backgroundAudio ?? null,
    sipDetails: null,
  };
}

export function messageView(row: CallMessageRow): Message {
  return { ...row.message, callStageId: row.stage_id, callStageMessageIndex: row.message_index };
}

export function eventView(row: CallEventRow): CallEvent {
  return {
    callId: row.call_id,
    callStageId: row.stage_id,
    callTimestamp: msToDuration(row.call_timestamp_ms),
    severity: row.severity,
    type: row.type,
    text: row.text,
    extras: row.extras,
    wallClockTimestamp: row.wall_clock_at.toISOString(),
  };
}
