import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';

type Ended = CallLogEntryBody & { type: 'ended' };

/** The last log entry of a call. Default: a hangup without a client or tokens. */
export function endedEntry(fields: Partial<Ended> = {}): Ended {
  return {
    ...{ type: 'ended', endReason: 'hangup', joinedAtMs: null, inputTokens: 0, outputTokens: 0 },
    ...fields,
  };
}
