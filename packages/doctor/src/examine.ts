import { createApiClient, type ApiClient } from '@calls/api-client';
import { toError } from '@calls/foundation';
import { checkJoin } from './checks/check-join.ts';
import { checkMedia } from './checks/check-media.ts';
import { checkRelays } from './checks/check-relays.ts';
import { checkService } from './checks/check-service.ts';
import type { Findings } from './findings.ts';

/** Walks the way of a call from a page to the agent, and says what stands in it. Makes one call, and deletes it. */
export async function examine(base: URL, apiKey: string, findings: Findings): Promise<void> {
  if (!(await checkService(base, findings))) return;
  const client = createApiClient({ baseUrl: base.origin, apiKey });
  const call = await createCall(client, findings);
  if (!call) return;
  try {
    const joinUrl = new URL(call.joinUrl);
    const ready = await checkJoin(base, joinUrl, findings);
    if (!ready) return;
    await checkMedia(joinUrl, ready, findings);
    await checkRelays(ready.iceServers, findings);
  } finally {
    await client
      .DELETE('/api/calls/{call_id}', { params: { path: { call_id: call.callId } } })
      .catch(() => undefined);
  }
}

async function createCall(
  client: ApiClient,
  findings: Findings,
): Promise<{ callId: string; joinUrl: string } | null> {
  try {
    const { data, error } = await client.POST('/api/calls', { body: { medium: { webRtc: {} } } });
    if (data?.joinUrl) {
      findings.ok('call', 'WebRTC calls can be created');
      return { callId: data.callId, joinUrl: data.joinUrl };
    }
    findings.fault('call', error?.detail ?? 'has no join URL', remedyOf(error?.code));
  } catch (thrown) {
    findings.fault('call', toError(thrown).message, 'see the log of the control-plane');
  }
  return null;
}

function remedyOf(code: string | undefined): string {
  if (code === 'unauthorized') return 'give a key of this service: --key, or CALLS_API_KEY';
  if (code === 'medium_not_available')
    return "npm run setup on the media workers' machine says why WebRTC is missing";
  return 'see the log of the control-plane';
}
