import type { NotReachedReason } from '@calls/providers/telephony/telephony-vendor';
import { type TelephonyProvider, TELEPHONY_ACCOUNTS } from '@calls/providers/telephony/telephony-vendors';

const REASONS: Readonly<Record<NotReachedReason, string>> = {
  busy: 'The phone was busy',
  no_answer: 'The phone was not answered',
  failed: 'The phone could not be reached',
  left: 'The phone call ended before the conversation started',
  canceled: 'The phone call was cancelled before it was answered',
};

const MAX_CAUSE_LENGTH = 200;

/** Why a phone call will not join; `detail` is a sentence. */
export interface NotReached {
  reason: NotReachedReason;
  detail: string;
}

/** Null for reports with other statuses. */
export function notReachedBy(
  provider: TelephonyProvider,
  report: Readonly<Record<string, unknown>>,
): NotReached | null {
  const { over, cause: details } = TELEPHONY_ACCOUNTS[provider].status;
  const status = report['CallStatus'];
  const reason = typeof status === 'string' && Object.hasOwn(over, status) ? over[status] : undefined;
  if (reason === undefined) return null;
  const cause = report[details.field];
  const more =
    typeof cause === 'string' && cause !== ''
      ? ` (${details.prefix}${cause
          .replaceAll(/\p{Cc}+/gu, ' ')
          .slice(0, MAX_CAUSE_LENGTH)
          .toWellFormed()})`
      : '';
  return { reason, detail: `${REASONS[reason]}${more}.` };
}
