import type { CallStage } from '@calls/api-contract/rest/call-stage';
import { showCallSettings } from '@calls/api-contract/rest/call-settings';
import { openWords } from '@calls/call-lifecycle/creation/secrets';
import { stageSettings } from '@calls/call-lifecycle/creation/stages/stage-settings';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { CallStageRow } from '@calls/store/tables/call-stages';
import type { CallRow } from '@calls/store/tables/calls';
import { shownSettings } from '@calls/call-lifecycle/notifications/shown-settings';

/** A stage with its settings: those of the call with the changes of the stage. */
export function stageView(box: SecretBox, row: CallStageRow, call: CallRow): CallStage {
  const overrides = openWords(box, call, row.overrides);
  const settings = shownSettings(box, { ...call, settings: stageSettings(call.settings, overrides) });
  return {
    ...showCallSettings('stage', settings),
    callId: row.call_id,
    callStageId: row.stage_id,
    created: row.created_at.toISOString(),
    initialTokenCount: row.initial_token_count,
    latestTokenCount: row.latest_token_count,
    errorCount: row.error_count,
  };
}
