import type { CallStage } from '@calls/api-contract';
import type { CallSettings, CallStageRow } from '@calls/store';

/** A stage: the call's settings, as far as the stage doesn't change them. */
export function stageView(row: CallStageRow, callSettings: CallSettings): CallStage {
  const settings: CallSettings = { ...callSettings, ...row.overrides };
  return {
    callId: row.call_id,
    callStageId: row.stage_id,
    created: row.created_at.toISOString(),
    inactivityMessages: settings.inactivityMessages ?? [],
    initialTokenCount: null,
    languageHint: settings.languageHint ?? null,
    latestTokenCount: null,
    model: settings.model,
    systemPrompt: settings.systemPrompt ?? null,
    temperature: settings.temperature,
    timeExceededMessage: settings.timeExceededMessage ?? null,
    voice: settings.voice ?? null,
    externalVoice: settings.externalVoice ?? null,
    voiceOverrides: settings.voiceOverrides ?? null,
    errorCount: row.error_count,
    experimentalSettings: settings.experimentalSettings ?? null,
    initialState: settings.initialState ?? {},
  };
}
