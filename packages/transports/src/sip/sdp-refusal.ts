/** The SIP response to an SDP that cannot be accepted. */
export interface SdpRefusal {
  kind: 'refused';
  status: number;
  reason: string;
}

export function isRefusal(value: object | string | null): value is SdpRefusal {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refused';
}
