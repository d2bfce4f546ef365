import type { TelephonyProvider } from '@calls/api-contract/rest/telephony-config';

const BUSY = 'The phone was busy';
const NO_ANSWER = 'Nobody answered the phone';
const FAILED = 'The phone could not be reached';
const LEFT = 'The phone call was over before the conversation began';
const CANCELED = 'The phone call was cancelled before anybody answered';

interface StatusTable {
  /** What the provider calls a phone call that is over, and the sentence for it where nobody has joined. */
  over: Readonly<Record<string, string>>;
  /** Where the provider says more of the cause. */
  cause: string;
}

const TABLES: Readonly<Record<TelephonyProvider, StatusTable>> = {
  telephony1: {
    over: { completed: LEFT, busy: BUSY, 'no-answer': NO_ANSWER, failed: FAILED, canceled: CANCELED },
    cause: 'ErrorMessage',
  },
  telephony2: {
    over: { completed: LEFT, busy: BUSY, 'no-answer': NO_ANSWER, failed: FAILED, canceled: CANCELED },
    cause: 'ErrorMessage',
  },
  telephony3: {
    over: {
      completed: LEFT,
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

/** Why nobody will join who hasn't, in a sentence; null for whatever else the provider tells of a phone call. */
export function whyNotReached(
  provider: TelephonyProvider,
  told: Readonly<Record<string, unknown>>,
): string | null {
  const { over, cause: causeField } = TABLES[provider];
  const status = told['CallStatus'];
  if (typeof status !== 'string' || !Object.hasOwn(over, status)) return null;
  const cause = told[causeField];
  const more =
    typeof cause === 'string' && cause !== ''
      ? ` (${cause
          .replaceAll(/\p{Cc}+/gu, ' ')
          .slice(0, MAX_CAUSE_LENGTH)
          .toWellFormed()})`
      : '';
  return `${over[status] ?? FAILED}${more}.`;
}
