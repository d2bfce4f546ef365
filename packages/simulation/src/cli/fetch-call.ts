import { durationToMs } from '@calls/api-contract/duration';
import type { StoredCall } from '../scenario/scenario-of-call.ts';
import { allItems, dataOf, withService, type ServiceAddress } from './service.ts';

const WEB_MEDIA = ['webRtc', 'serverWebSocket'];

/** A call of an account, with its messages. */
export function fetchCall(callId: string, service: ServiceAddress): Promise<StoredCall> {
  return withService(service, async (client) => {
    const path = { call_id: callId };
    const call = dataOf(await client.GET('/api/calls/{call_id}', { params: { path } }));
    const [messages, events] = await Promise.all([
      allItems((query) =>
        client.GET('/api/calls/{call_id}/messages', {
          params: { path, query: { ...query, mode: 'in_call' } },
        }),
      ),
      allItems((query) =>
        client.GET('/api/calls/{call_id}/events', {
          params: { path, query: { ...query, type: 'interrupted' } },
        }),
      ),
    ]);
    const interrupted = events.filter(({ type }) => type === 'interrupted');
    return {
      callId,
      isPhone: !WEB_MEDIA.some((medium) => medium in call.medium),
      endReason: call.endReason,
      messages,
      interruptedAtMs: interrupted.map(({ callTimestamp }) => durationToMs(callTimestamp)),
    };
  });
}
