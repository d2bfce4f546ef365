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
