import type { TelephonyProvider } from '@calls/api-contract/vendors/telephony-vendors';
import { TELEPHONY_ADAPTERS } from './vendors/telephony-adapters.ts';
import type { NotReached } from './vendors/telephony-adapter.ts';

const REASONS: Readonly<Record<NotReached, string>> = {
  busy: 'The phone was busy',
  no_answer: 'The phone was not answered',
  failed: 'The phone could not be reached',
  left: 'The phone call ended before the conversation started',
  canceled: 'The phone call was cancelled before it was answered',
};

const MAX_CAUSE_LENGTH = 200;

/** A sentence that says why the phone call will not join; null for reports with other statuses. */
export function whyNotReached(
  provider: TelephonyProvider,
  report: Readonly<Record<string, unknown>>,
): string | null {
  const { over, cause: causeField } = TELEPHONY_ADAPTERS[provider].status;
  const status = report['CallStatus'];
  const reason = typeof status === 'string' && Object.hasOwn(over, status) ? over[status] : undefined;
  if (reason === undefined) return null;
  const cause = report[causeField];
  const more =
    typeof cause === 'string' && cause !== ''
      ? ` (${cause
          .replaceAll(/\p{Cc}+/gu, ' ')
          .slice(0, MAX_CAUSE_LENGTH)
          .toWellFormed()})`
      : '';
  return `${REASONS[reason]}${more}.`;
}
