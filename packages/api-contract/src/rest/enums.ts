import { Type, type Static } from 'typebox';

export const EndReason = Type.Enum([
  'unjoined',
  'hangup',
  'agent_hangup',
  'timeout',
  'connection_error',
  'system_error',
]);
export type EndReason = Static<typeof EndReason>;

/** What answered an outgoing call. */
export const ANSWERED_BY = ['human', 'machine', 'ivr', 'screening', 'unknown'] as const;
export const AnsweredBy = Type.Enum([...ANSWERED_BY]);
export type AnsweredBy = Static<typeof AnsweredBy>;

/** How the SIP part of a call ended. */
export const SipTermination = Type.Enum([
  'SIP_TERMINATION_NORMAL',
  'SIP_TERMINATION_INVALID_NUMBER',
  'SIP_TERMINATION_TIMEOUT',
  'SIP_TERMINATION_DESTINATION_UNAVAILABLE',
  'SIP_TERMINATION_BUSY',
  'SIP_TERMINATION_CANCELED',
  'SIP_TERMINATION_REJECTED',
  'SIP_TERMINATION_UNKNOWN',
]);
export type SipTermination = Static<typeof SipTermination>;

export const BillingStatus = Type.Enum([
  'BILLING_STATUS_PENDING',
  'BILLING_STATUS_FREE_CONSOLE',
  'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION',
  'BILLING_STATUS_FREE_MINUTES',
  'BILLING_STATUS_FREE_SYSTEM_ERROR',
  'BILLING_STATUS_FREE_OTHER',
  'BILLING_STATUS_BILLED',
  'BILLING_STATUS_REFUNDED',
  'BILLING_STATUS_UNSPECIFIED',
]);
export type BillingStatus = Static<typeof BillingStatus>;

export const MessageMediumEnum = Type.Enum([
  'MESSAGE_MEDIUM_UNSPECIFIED',
  'MESSAGE_MEDIUM_VOICE',
  'MESSAGE_MEDIUM_TEXT',
]);
export type MessageMediumEnum = Static<typeof MessageMediumEnum>;

export const MessageRole = Type.Enum([
  'MESSAGE_ROLE_UNSPECIFIED',
  'MESSAGE_ROLE_USER',
  'MESSAGE_ROLE_AGENT',
  'MESSAGE_ROLE_TOOL_CALL',
  'MESSAGE_ROLE_TOOL_RESULT',
]);
export type MessageRole = Static<typeof MessageRole>;

export const Severity = Type.Enum(['debug', 'info', 'warning', 'error']);
export type Severity = Static<typeof Severity>;

export const RetentionPolicy = Type.Enum(['retain', 'auto_delete', 'zdr']);
export type RetentionPolicy = Static<typeof RetentionPolicy>;

/** Values in requests. Values of responses are accepted as well. */
export const RetentionPolicyRequest = Type.Enum([
  'CALL_RETENTION_POLICY_UNSPECIFIED',
  'CALL_RETENTION_POLICY_RETAIN',
  'CALL_RETENTION_POLICY_AUTO_DELETE',
  'CALL_RETENTION_POLICY_ZDR',
  'retain',
  'auto_delete',
  'zdr',
]);
export type RetentionPolicyRequest = Static<typeof RetentionPolicyRequest>;

export const AdmissionPreference = Type.Enum(['priority', 'lowest_cost']);
export type AdmissionPreference = Static<typeof AdmissionPreference>;

/** Values in requests. Values of responses are accepted as well. */
export const AdmissionPreferenceRequest = Type.Enum([
  'CALL_ADMISSION_PREFERENCE_UNSPECIFIED',
  'CALL_ADMISSION_PREFERENCE_PRIORITY',
  'CALL_ADMISSION_PREFERENCE_LOWEST_COST',
  'priority',
  'lowest_cost',
]);
export type AdmissionPreferenceRequest = Static<typeof AdmissionPreferenceRequest>;

export const FirstSpeaker = Type.Enum(['FIRST_SPEAKER_AGENT', 'FIRST_SPEAKER_USER']);
export type FirstSpeaker = Static<typeof FirstSpeaker>;
