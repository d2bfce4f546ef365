import type { Schemas } from '../../api/client.ts';

export type WebhookEvent = Schemas['Webhook']['events'][number];

export const WEBHOOK_EVENTS: readonly { event: WebhookEvent; meaning: string }[] = [
  { event: 'call.started', meaning: 'It was created.' },
  { event: 'call.joined', meaning: 'Someone is on the line.' },
  { event: 'call.ended', meaning: 'It ended, or was not joined in time.' },
  { event: 'call.billed', meaning: 'What it cost is final.' },
];

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
