import type { SipTermination } from '@calls/api-contract/rest/enums';
import type { CallFailure, InviteOutcome } from '@calls/sip/calls';
import type { SipMedia } from '@calls/transports/sip/sip-media';

interface Meaning {
  reason: SipTermination;
  /** Text for the owner of the call. */
  sentence: string;
}

const meaning = (reason: SipTermination, sentence: string): Meaning => ({ reason, sentence });

const BUSY = meaning('SIP_TERMINATION_BUSY', 'The line was busy.');
const INVALID_NUMBER = meaning('SIP_TERMINATION_INVALID_NUMBER', 'The number or address does not exist.');
const TIMEOUT = meaning('SIP_TERMINATION_TIMEOUT', 'The call was not answered in time.');
const REJECTED = meaning('SIP_TERMINATION_REJECTED', 'The call was rejected.');
const CREDENTIALS = meaning(
  'SIP_TERMINATION_REJECTED',
  'The username and the password are missing or were not accepted.',
);
const CANCELED = meaning('SIP_TERMINATION_CANCELED', 'The call was cancelled.');
const UNAVAILABLE = meaning(
  'SIP_TERMINATION_DESTINATION_UNAVAILABLE',
  'The destination could not be reached.',
);
const UNKNOWN = meaning('SIP_TERMINATION_UNKNOWN', 'The call was not accepted.');
const NO_COMMON_MEDIA = meaning(
  'SIP_TERMINATION_UNKNOWN',
  'The other side supports none of the offered audio codecs.',
);

const BY_STATUS: Readonly<Record<number, Meaning>> = {
  401: CREDENTIALS,
  403: REJECTED,
  404: INVALID_NUMBER,
  407: CREDENTIALS,
  408: TIMEOUT,
  410: INVALID_NUMBER,
  480: TIMEOUT,
  484: INVALID_NUMBER,
  486: BUSY,
  487: CANCELED,
  488: NO_COMMON_MEDIA,
  600: BUSY,
  603: REJECTED,
  604: INVALID_NUMBER,
  606: NO_COMMON_MEDIA,
  // The person or the carrier's filter rejected the call as unwanted (RFC 8197, RFC 8688).
  607: REJECTED,
  608: REJECTED,
};

/** Why the party was not reached: the API code, and a sentence with the SIP status if there was a response. */
export function meaningOf({ cause, status, reason }: CallFailure): Meaning {
  switch (cause) {
    case 'noAnswer':
      return TIMEOUT;
    case 'cancelled':
      return CANCELED;
    case 'unreachable':
      return meaning(UNAVAILABLE.reason, `The destination could not be reached: ${reason}.`);
    case 'unusable':
      return meaning(UNKNOWN.reason, `The answer cannot be used: ${reason}.`);
    case 'refused': {
      const known = status === null ? UNKNOWN : ofStatus(status);
      return status === null
        ? known
        : meaning(known.reason, `${known.sentence.slice(0, -1)} (SIP ${status}).`);
    }
  }
}

/** Applies an answer. Returns why the party was not reached; null if it was. */
export function failureOf(outcome: InviteOutcome, media: Pick<SipMedia, 'takeAnswer'>): CallFailure | null {
  if (outcome.kind === 'failed') return outcome;
  const refusal = media.takeAnswer(outcome.sdp);
  return refusal && { cause: 'unusable', status: null, reason: refusal.reason };
}

function ofStatus(status: number): Meaning {
  return BY_STATUS[status] ?? (status >= 500 && status < 600 ? UNAVAILABLE : UNKNOWN);
}
