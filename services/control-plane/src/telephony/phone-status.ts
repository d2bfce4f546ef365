import type { TelephonyProvider } from '@calls/api-contract';

const BUSY = 'The phone was busy';
const NO_ANSWER = 'Nobody answered the phone';
const FAILED = 'The phone could not be reached';
const CANCELED = 'The phone call was cancelled before anybody answered';

interface StatusTable {
  /** What the provider calls a phone call that nobody answered, and the sentence for it. */
  unanswered: Readonly<Record<string, string>>;
  /** Where the provider says more of the cause. */
  cause: string;
}

const TABLES: Readonly<Record<TelephonyProvider, StatusTable>> = {
  telephony1: {
    unanswered: { busy: BUSY, 'no-answer': NO_ANSWER, failed: FAILED, canceled: CANCELED },
    cause: 'ErrorMessage',
  },
  telephony2: {
    unanswered: { busy: BUSY, 'no-answer': NO_ANSWER, failed: FAILED, canceled: CANCELED },
    cause: 'ErrorMessage',
  },
  telephony3: {
    unanswered: {
      busy: BUSY,
      'no-answer': NO_ANSWER,
      timeout: NO_ANSWER,
      failed: FAILED,
      cancel: CANCELED,
      canceled: CANCELED,
    },
    cause: 'HangupCauseName',
  },
};

const MAX_CAUSE_LENGTH = 200;

/** Why nobody answered the phone, in a sentence; null for whatever else the provider tells of it. */
export function unansweredWhy(
  provider: TelephonyProvider,
  told: Readonly<Record<string, unknown>>,
): string | null {
  const { unanswered, cause: causeField } = TABLES[provider];
  const status = told['CallStatus'];
  if (typeof status !== 'string' || !Object.hasOwn(unanswered, status)) return null;
  const cause = told[causeField];
  const more =
    typeof cause === 'string' && cause !== ''
      ? ` (${cause
          .replaceAll(/\p{Cc}+/gu, ' ')
          .slice(0, MAX_CAUSE_LENGTH)
          .toWellFormed()})`
      : '';
  return `${unanswered[status] ?? FAILED}${more}.`;
}
