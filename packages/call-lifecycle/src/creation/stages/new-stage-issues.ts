import { NewStage } from '@calls/api-contract/rest/call-records';
import type { CallSettings } from '@calls/api-contract/rest/call-settings';
import { textIssues } from '@calls/api-contract/validation/text-issues';
import { omit } from '@calls/foundation/omit';
import { hasMoreValuesThan, MAX_BODY_BYTES, MAX_BODY_VALUES } from '@calls/foundation/schema/count-values';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import { requestIssues } from '../request-issues.ts';
import { urlIssues, type UrlGuard } from '../url-rules.ts';
import { stageSettings } from './stage-settings.ts';

export const newStage = compileValidator('new stage', NewStage);

/** Issues of the body of a `new-stage` response, given the settings of the previous stage. Accepts any value. */
export function newStageIssues(guard: UrlGuard, current: CallSettings, body: unknown): Issue[] {
  if (hasMoreValuesThan(body, MAX_BODY_VALUES)) {
    return [{ path: '', message: `must have at most ${MAX_BODY_VALUES} values` }];
  }
  if (Buffer.byteLength(JSON.stringify(body)) > MAX_BODY_BYTES) {
    return [{ path: '', message: `must be at most ${MAX_BODY_BYTES} bytes of JSON` }];
  }
  const named = typeof body === 'object' && body !== null ? body : {};
  return [
    ...newStage.issues(body),
    ...textIssues(body),
    // The initial messages of the call do not apply to the stage.
    ...requestIssues(ofStages(stageSettings(omit(current, 'initialMessages'), named))),
    ...urlIssues(guard, named),
  ];
}

const FIELDS: ReadonlySet<string> = new Set(Object.keys(NewStage.properties));

/** The rules for other settings do not apply to stages. */
function ofStages(settings: object): object {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => FIELDS.has(key)));
}
