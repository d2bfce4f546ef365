interface CallPlace {
  accountId: string;
  callId: string;
}

/** Under which the object storage has the recording of a call, where there is one. */
export function recordingKey({ accountId, callId }: CallPlace): string {
  return `recordings/${accountId}/${callId}.wav`;
}

/** Under which the object storage has the trace of a call, where there is one. */
export function traceKey({ accountId, callId }: CallPlace): string {
  return `traces/${accountId}/${callId}.jsonl`;
}

/** Under which the object storage has the SIP messages of a call, where there are any. */
export function sipLogKey({ accountId, callId }: CallPlace): string {
  return `sip-logs/${accountId}/${callId}.txt`;
}

const OF_CALL =
  /^(?:recordings|traces|sip-logs)\/(?<accountId>[0-9a-f-]{36})\/(?<callId>[0-9a-f-]{36})\.[a-z]+$/u;

/** Whose an object is; null where it is no call's. */
export function callOfObject(key: string): CallPlace | null {
  const { accountId, callId } = OF_CALL.exec(key)?.groups ?? {};
  return accountId !== undefined && callId !== undefined ? { accountId, callId } : null;
}
