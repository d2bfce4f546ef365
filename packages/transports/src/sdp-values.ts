/** The parser converts text that looks like a number to a number. */
export function asText(value: string | number | undefined): string {
  return String(value ?? '');
}

/** Payload types (RFC 3551, 6) without those that conflict with RTCP (RFC 5761, 4). */
export function isPayloadType(payload: number): boolean {
  return Number.isInteger(payload) && payload >= 0 && payload <= 127 && !isRtcp(payload);
}

/** Whether the byte in the place of the payload type marks an RTCP packet. */
export function isRtcp(payloadType: number): boolean {
  return payloadType >= 64 && payloadType <= 95;
}
