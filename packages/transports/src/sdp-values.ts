/** The parser makes numbers of what looks like one. */
export function asText(value: string | number | undefined): string {
  return String(value ?? '');
}

/** RFC 3551, 6; those that RTCP is told from RTP by are left out (RFC 5761, 4). */
export function isPayloadType(payload: number): boolean {
  return Number.isInteger(payload) && payload >= 0 && payload <= 127 && !isRtcp(payload);
}

/** What an RTCP packet has in an RTP packet's place of the payload type. */
export function isRtcp(payloadType: number): boolean {
  return payloadType >= 64 && payloadType <= 95;
}
