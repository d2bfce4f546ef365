import type { CallStage } from '@calls/api-contract/rest/call-stage';
import { openWords } from '@calls/call-lifecycle/creation/secrets';
import { stageSettings } from '@calls/call-lifecycle/creation/stages/stage-settings';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { CallStageRow } from '@calls/store/tables/call-stages';
import type { CallRow } from '@calls/store/tables/calls';
import { shownSettings } from '@calls/call-lifecycle/notifications/shown-settings';

/** A stage with what holds in it: the call's settings, as far as the stage doesn't change them. */
export function stageView(box: SecretBox, row: CallStageRow, call: CallRow): CallStage {
  const overrides = openWords(box, call, row.overrides);
  const settings = shownSettings(box, { ...call, settings: stageSettings(call.settings, overrides) });
  const { externalVoice, voiceOverrides } = settings;
  return {
    callId: row.call_id,
    callStageId: row.stage_id,
    created: row.created_at.toISOString(),
    inactivityMessages: settings.inactivityMessages ?? [],
    initialTokenCount: row.initial_token_count,
    languageHint: settings.languageHint ?? null,
    latestTokenCount: row.latest_token_count,
    model: settings.model,
    systemPrompt: settings.systemPrompt ?? null,
    temperature: settings.temperature,
    timeExceededMessage: settings.timeExceededMessage ?? null,
    voice: settings.voice ?? null,
    ...(externalVoice && { externalVoice }),
    ...(voiceOverrides && { voiceOverrides }),
    errorCount: row.error_count,
    experimentalSettings: settings.experimentalSettings ?? null,
    initialState: settings.initialState ?? {},
  };
}
