import { answerOf, api, type Schemas } from '../../api/client.ts';

/** Sends it to the worker that has the call. */
export function sendToCall(callId: string, body: Schemas['SendCallDataMessage']): Promise<unknown> {
  const params = { path: { call_id: callId } };
  return answerOf(api.POST('/api/calls/{call_id}/send_data_message', { params, body }));
}
