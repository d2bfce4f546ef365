import type { Schemas } from '../../api/client.ts';

/** Who is to be paid for what a voice says. */
export function billingText(style: Schemas['Voice']['billingStyle']): string {
  return style === 'VOICE_BILLING_STYLE_INCLUDED' ? 'Included' : 'By its provider';
}
