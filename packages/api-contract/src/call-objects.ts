interface CallPlace {
  accountId: string;
  callId: string;
}

/** Object storage key of a call's recording. */
export function recordingKey({ accountId, callId }: CallPlace): string {
  return `recordings/${accountId}/${callId}.wav`;
}

/** Object storage key of a call's trace. */
export function traceKey({ accountId, callId }: CallPlace): string {
  return `traces/${accountId}/${callId}.jsonl`;
}

/** Object storage key of a call's SIP messages. */
export function sipLogKey({ accountId, callId }: CallPlace): string {
  return `sip-logs/${accountId}/${callId}.txt`;
}

const OF_CALL =
  /^(?:recordings|traces|sip-logs)\/(?<accountId>[0-9a-f-]{36})\/(?<callId>[0-9a-f-]{36})\.[a-z]+$/u;

/** The call of an object; null if the key is not one of a call. */
export function callOfObject(key: string): CallPlace | null {
  const { accountId, callId } = OF_CALL.exec(key)?.groups ?? {};
  return accountId !== undefined && callId !== undefined ? { accountId, callId } : null;
}
