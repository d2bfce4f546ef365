import type { SipRejection } from '@calls/api-contract/bus/sip-invites';
import type { CallRefusal } from '@calls/call-lifecycle/creation/refusal';

export function rejection(status: number, reason: string): SipRejection {
  return { kind: 'reject', status, reason };
}

/** The SIP response if the call cannot be created. The caller is not authenticated, so it gets no details. */
export function rejectionOf({ kind, code }: Pick<CallRefusal, 'kind' | 'code'>): SipRejection {
  switch (kind) {
    case 'limited':
      // The concurrency limit or the rate limit is reached.
      return code === 'concurrency' ? rejection(486, 'Busy Here') : rejection(503, 'Service Unavailable');
    case 'unavailable':
      return rejection(503, 'Service Unavailable');
    case 'payment':
    case 'forbidden':
      return rejection(403, 'Forbidden');
    case 'invalid':
    case 'impossible':
      return rejection(500, 'Server Internal Error');
  }
}
