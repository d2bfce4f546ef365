import type { Callbacks } from '@calls/api-contract/rest/call-setting-values';
import type { WebhookEvent } from '@calls/api-contract/rest/webhook';
import type { CallEventPayload } from '@calls/api-contract/rest/webhook-payload';
import { newId } from '@calls/foundation/ids';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { callSecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import { findAnyCall, type CallRow } from '@calls/store/tables/calls';
import {
  deleteDeliveries,
  hasSubscribers,
  subscribersOf,
  type WebhookSubscriber,
  type NewDelivery,
} from '@calls/store/tables/webhook-deliveries';
import type { CallView } from './views.ts';
import { receiverIdOf, sealContent, writeDeliveries } from './write-deliveries.ts';

/**
 * Notifies the callbacks of a call and the webhooks of its account. Notifications are written in the transaction of the change, with
 * the state of the call at that time. Each subscriber receives each event once, in the order started, joined, ended, billed,
 * analyzed; the last one again after each analysis.
 */
export interface CallNotifications {
  started(tx: Database, call: CallRow): Promise<void>;
  /** No notification if the call has ended. */
  joined(tx: Database, callId: string): Promise<void>;
  /** Also notifies of the join if that is pending, and of the billing, which happens in the same transaction. */
  ended(tx: Database, callId: string): Promise<void>;
  /** Replaces the notification of an earlier analysis of the call. */
  analyzed(tx: Database, callId: string): Promise<void>;
}

const STEPS: Record<WebhookEvent, number> = {
  'call.started': 0,
  'call.joined': 1,
  'call.ended': 2,
  'call.billed': 3,
  'call.analyzed': 4,
};
const HOOKS: Partial<Record<WebhookEvent, keyof Callbacks>> = {
  'call.joined': 'joined',
  'call.ended': 'ended',
  'call.billed': 'billed',
};

export function createCallNotifications({
  secretBox,
  callView,
}: {
  secretBox: SecretBox;
  callView: CallView;
}): CallNotifications {
  const bodyOf = async (call: CallRow): Promise<(event: WebhookEvent) => string> => {
    const shown = await callView(call);
    return (event) => JSON.stringify({ event, call: shown } satisfies CallEventPayload);
  };

  const write = async (
    tx: Database,
    call: CallRow,
    events: readonly WebhookEvent[],
    subscribers: readonly WebhookSubscriber[],
  ): Promise<void> => {
    const { account_id: accountId, call_id: callId } = call;
    const body = await bodyOf(call);
    const deliveries = events.flatMap((event): NewDelivery[] => {
      const common = { accountId, callId, event, step: STEPS[event] };
      const callback = callbackOf(secretBox, call, event);
      const callbacks = callback
        ? [{ webhookId: null, receiverId: receiverIdOf(accountId, callback.url), ...callback }]
        : [];
      const webhooks = subscribers
        .filter((each) => each.events.includes(event))
        .map(({ webhookId, url }) => ({ webhookId, receiverId: webhookId, url, secrets: [] }));
      return [...callbacks, ...webhooks].map(({ secrets, ...receiver }) => ({
        ...common,
        ...receiver,
        deliveryId: newId(),
        content: sealContent(secretBox, accountId, { body: body(event), secrets }),
      }));
    });
    await writeDeliveries(tx, deliveries);
  };

  const happened = async (
    tx: Database,
    callId: string,
    eventsOf: (call: CallRow) => readonly WebhookEvent[],
  ): Promise<void> => {
    const call = (await hasSubscribers(tx, callId)) ? await findAnyCall(tx, callId) : undefined;
    if (call) await write(tx, call, eventsOf(call), await subscribersOf(tx, call.account_id, call.agent_id));
  };

  return {
    async started(tx, call) {
      const all = await subscribersOf(tx, call.account_id, call.agent_id);
      const subscribers = all.filter(({ events }) => events.includes('call.started'));
      if (subscribers.length > 0) await write(tx, call, ['call.started'], subscribers);
    },
    joined: (tx, callId) => happened(tx, callId, (call) => (call.ended_at ? [] : ['call.joined'])),
    ended: (tx, callId) =>
      happened(tx, callId, (call) => [
        ...(call.joined_at ? (['call.joined'] as const) : []),
        'call.ended',
        'call.billed',
      ]),
    async analyzed(tx, callId) {
      await deleteDeliveries(tx, callId, 'call.analyzed');
      await happened(tx, callId, () => ['call.analyzed']);
    },
  };
}

/** Signs a callback that has no secrets with the secrets of the call. */
function callbackOf(
  box: SecretBox,
  { settings, account_id: accountId }: CallRow,
  event: WebhookEvent,
): { url: string; secrets: string[] } | null {
  const hook = HOOKS[event];
  const callback = hook && settings.callbacks?.[hook];
  if (!callback) return null;
  const { url, secrets: own = [] } = callback;
  const sealed = own.length > 0 ? own : (settings.sharedSecrets ?? []);
  return { url, secrets: sealed.map((secret) => box.open(secret, callSecretsContext(accountId))) };
}
