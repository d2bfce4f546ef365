/** The parser makes numbers of what looks like one. */
export function asText(value: string | number | undefined): string {
  return String(value ?? '');
}

/** Payload types (RFC 3551, 6) without those that conflict with RTCP (RFC 5761, 4). */
export function isPayloadType(payload: number): boolean {
  return Number.isInteger(payload) && payload >= 0 && payload <= 127 && !isRtcp(payload);
}

/** What an RTCP packet has in an RTP packet's place of the payload type. */
export function isRtcp(payloadType: number): boolean {
  return payloadType >= 64 && payloadType <= 95;
}
