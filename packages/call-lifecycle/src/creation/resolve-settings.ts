import {
  DEFAULT_JOIN_TIMEOUT,
  DEFAULT_MAX_DURATION,
  DEFAULT_MODEL,
  type StartCallRequest,
} from '@calls/api-contract/rest/call';
import type { AdmissionPreference, RetentionPolicy } from '@calls/api-contract/rest/enums';
import type { CallSettings } from '@calls/store/schema/call';
import { allowedMediums } from './rules/output-medium-issues.ts';

/** A valid request with the defaults of its top-level fields filled in. */
export function resolveSettings(request: StartCallRequest): CallSettings {
  const { firstSpeaker, retentionPolicy, admissionPreference, mediumRestriction, ...given } = request;
  const preference = admissionPreferenceOf(admissionPreference);
  const retention = retentionPolicyOf(retentionPolicy);
  const restricted = allowedMediums(request) !== null;
  return {
    ...given,
    temperature: request.temperature ?? 0,
    model: request.model ?? DEFAULT_MODEL,
    joinTimeout: request.joinTimeout ?? DEFAULT_JOIN_TIMEOUT,
    maxDuration: request.maxDuration ?? DEFAULT_MAX_DURATION,
    firstSpeakerSettings:
      request.firstSpeakerSettings ?? (firstSpeaker === 'FIRST_SPEAKER_USER' ? { user: {} } : { agent: {} }),
    medium: isUnset(request.medium) ? { webRtc: {} } : request.medium,
    metadata: request.metadata ?? {},
    // Nothing of such a call is kept.
    recordingEnabled: retention !== 'zdr' && (request.recordingEnabled ?? false),
    initialOutputMedium: startsInText(request) ? 'MESSAGE_MEDIUM_TEXT' : 'MESSAGE_MEDIUM_VOICE',
    retentionPolicy: retention,
    ...(preference && { admissionPreference: preference }),
    ...(mediumRestriction && restricted && { mediumRestriction }),
  };
}

const RETENTION: Readonly<Record<NonNullable<StartCallRequest['retentionPolicy']>, RetentionPolicy>> = {
  CALL_RETENTION_POLICY_UNSPECIFIED: 'retain',
  CALL_RETENTION_POLICY_RETAIN: 'retain',
  CALL_RETENTION_POLICY_AUTO_DELETE: 'auto_delete',
  CALL_RETENTION_POLICY_ZDR: 'zdr',
  retain: 'retain',
  auto_delete: 'auto_delete',
  zdr: 'zdr',
};

const PREFERENCES: Readonly<
  Record<NonNullable<StartCallRequest['admissionPreference']>, AdmissionPreference | null>
> = {
  CALL_ADMISSION_PREFERENCE_UNSPECIFIED: null,
  CALL_ADMISSION_PREFERENCE_PRIORITY: 'priority',
  CALL_ADMISSION_PREFERENCE_LOWEST_COST: 'lowest_cost',
  priority: 'priority',
  lowest_cost: 'lowest_cost',
};

/** In the form of answers. */
export function retentionPolicyOf(given: StartCallRequest['retentionPolicy']): RetentionPolicy {
  return given === undefined ? 'retain' : RETENTION[given];
}

/** In the form of answers; null where none is asked for. */
export function admissionPreferenceOf(
  given: StartCallRequest['admissionPreference'],
): AdmissionPreference | null {
  return given === undefined ? null : PREFERENCES[given];
}

function isUnset(medium: StartCallRequest['medium']): medium is undefined {
  return medium === undefined || Object.keys(medium).length === 0;
}

/** Where it is asked for, and where voice isn't allowed. */
function startsInText(request: StartCallRequest): boolean {
  const { initialOutputMedium } = request;
  if (initialOutputMedium === 'MESSAGE_MEDIUM_TEXT') return true;
  if (initialOutputMedium === 'MESSAGE_MEDIUM_VOICE') return false;
  return allowedMediums(request)?.every((medium) => medium === 'MESSAGE_MEDIUM_TEXT') ?? false;
}
