import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { AdmissionPreference, RetentionPolicy } from '@calls/api-contract/rest/enums';
import { CALL_SETTING_DEFAULTS, type CallSettings } from '@calls/api-contract/rest/call-settings';
import { allowedMediums } from './request-issues.ts';

/** The settings of a valid request as they are stored, before their secrets are sealed. */
export function resolveSettings(request: StartCallRequest): CallSettings {
  const { firstSpeaker, retentionPolicy, admissionPreference, mediumRestriction, ...given } = request;
  const preference = admissionPreferenceOf(admissionPreference);
  const retention = retentionPolicyOf(retentionPolicy);
  const restricted = allowedMediums(request) !== null;
  return {
    ...CALL_SETTING_DEFAULTS,
    ...given,
    ...(firstSpeaker === 'FIRST_SPEAKER_USER' &&
      given.firstSpeakerSettings === undefined && { firstSpeakerSettings: { user: {} } }),
    medium: isUnset(given.medium) ? CALL_SETTING_DEFAULTS.medium : given.medium,
    // Nothing of a call with zero retention is stored.
    recordingEnabled:
      retention !== 'zdr' && (given.recordingEnabled ?? CALL_SETTING_DEFAULTS.recordingEnabled),
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

/** Converts the request form to the response form. */
export function retentionPolicyOf(given: StartCallRequest['retentionPolicy']): RetentionPolicy {
  return given === undefined ? CALL_SETTING_DEFAULTS.retentionPolicy : RETENTION[given];
}

/** Converts the request form to the response form; null if unspecified. */
export function admissionPreferenceOf(
  given: StartCallRequest['admissionPreference'],
): AdmissionPreference | null {
  return given === undefined ? null : PREFERENCES[given];
}

function isUnset(medium: StartCallRequest['medium']): medium is undefined {
  return medium === undefined || Object.keys(medium).length === 0;
}

/** True if the request chooses text or does not allow voice. */
function startsInText(request: StartCallRequest): boolean {
  const { initialOutputMedium } = request;
  if (initialOutputMedium === 'MESSAGE_MEDIUM_TEXT') return true;
  if (initialOutputMedium === 'MESSAGE_MEDIUM_VOICE') return false;
  return allowedMediums(request)?.every((medium) => medium === 'MESSAGE_MEDIUM_TEXT') ?? false;
}
