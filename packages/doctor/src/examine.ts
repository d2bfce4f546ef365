import { createApiClient, type ApiClient } from '@calls/api-client';
import { checkJoin } from './checks/check-join.ts';
import { checkMedia } from './checks/check-media.ts';
import { checkRelays } from './checks/check-relays.ts';
import { checkService } from './checks/check-service.ts';
import type { Findings } from './findings.ts';
import { reasonOf } from './reason.ts';

const LIMIT_MS = 10_000;

/** Checks every step of a call from a page to the agent. Creates one call and deletes it. */
export async function examine(base: URL, apiKey: string, findings: Findings): Promise<void> {
  if (!(await checkService(base, findings))) return;
  const client = createApiClient({ baseUrl: base.origin, apiKey });
  const call = await createCall(client, findings);
  if (!call) return;
  try {
    const joinUrl = new URL(call.joinUrl);
    using join = await checkJoin(base, joinUrl, findings);
    if (!join) return;
    const { iceServers, receiveTransport } = join.ready;
    const relays = checkRelays(iceServers, receiveTransport);
    await checkMedia(joinUrl, join.ready, relays, findings);
    (await relays).tell(findings);
  } finally {
    await client
      .DELETE('/api/calls/{call_id}', {
        params: { path: { call_id: call.callId } },
        signal: AbortSignal.timeout(LIMIT_MS),
      })
      .catch(() => undefined);
  }
}

async function createCall(
  client: ApiClient,
  findings: Findings,
): Promise<{ callId: string; joinUrl: string } | null> {
  try {
    const { data, error, response } = await client.POST('/api/calls', {
      body: { medium: { webRtc: {} } },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (data?.joinUrl) {
      findings.ok('call', 'WebRTC calls can be created');
      return { callId: data.callId, joinUrl: data.joinUrl };
    }
    const text =
      error?.detail ?? `POST /api/calls returned ${response.status}, but not a response of this API`;
    findings.error('call', text, remedyOf(error?.code));
  } catch (thrown) {
    findings.error('call', `POST /api/calls fails: ${reasonOf(thrown).text}`, OTHER_REMEDY);
  }
  return null;
}

const OTHER_REMEDY = 'is this the address of the control-plane? Its log says more';

function remedyOf(code: string | undefined): string {
  if (code === 'unauthorized') return 'give an API key of this service: --key, or API_KEY';
  if (code === 'medium_not_available')
    return 'is a media-worker running? If so, run npm run setup on its machine: it installs WebRTC, or says why it cannot';
  return OTHER_REMEDY;
}
