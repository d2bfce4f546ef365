import { openContent } from '@calls/call-lifecycle/notifications/write-deliveries';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { currentTraceparent } from '@calls/foundation/trace-context';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { signRequest } from '@calls/outbound-http/request-signature';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { ClaimedDelivery } from '@calls/store/tables/delivery-runs';

export const SEND_TIMEOUT_MS = 10_000;
/** Only the status of the response is read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

export type Sent =
  | { kind: 'acknowledged' }
  /** `failure` is shown to the receiver's owner. */
  | { kind: 'failed'; failure: string; isPermanent: boolean };

/** Any 2xx acknowledges; any other status, including a redirect, is a failure. Never throws. */
export async function sendDelivery(
  deps: { outbound: OutboundHttp; secretBox: SecretBox; clock: Clock },
  delivery: ClaimedDelivery & { content: string },
): Promise<Sent> {
  try {
    const { url, headers, body } = requestOf(deps, delivery);
    const response = await deps.outbound.request({
      method: 'POST',
      url,
      headers,
      body,
      timeoutMs: SEND_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      owner: delivery.account_id,
    });
    const { status } = response;
    response.close();
    if (status >= 200 && status <= 299) return { kind: 'acknowledged' };
    return { kind: 'failed', failure: `the response status was ${status}`, isPermanent: false };
  } catch (thrown) {
    if (thrown instanceof OutboundError) {
      return { kind: 'failed', failure: thrown.message, isPermanent: !thrown.retryable };
    }
    return {
      kind: 'failed',
      failure: `the request failed (${toError(thrown).name})`,
      isPermanent: true,
    };
  }
}

/** Uses the webhook's current URL and secrets, so a change applies to pending deliveries. */
function requestOf(
  { secretBox, clock }: { secretBox: SecretBox; clock: Clock },
  delivery: ClaimedDelivery & { content: string },
): { url: string; headers: Record<string, string>; body: string } {
  const { account_id: accountId, call_id: callId } = delivery;
  const { body, secrets: own } = openContent(secretBox, accountId, delivery.content);
  const context = webhookSecretContext(accountId);
  const secrets = delivery.webhook_secrets?.map((sealed) => secretBox.open(sealed, context)) ?? own;
  const { timestamp, signature } = signRequest(body, secrets, clock.wallMs());
  const traceparent = currentTraceparent();
  const isCallback = delivery.webhook_id === null && callId !== null;
  return {
    url: delivery.webhook_url ?? delivery.url,
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Svc-Delivery-ID': delivery.delivery_id,
      'X-Svc-Webhook-Timestamp': timestamp,
      ...(traceparent !== undefined && { traceparent }),
      ...(secrets.length > 0 && { 'X-Svc-Webhook-Signature': signature }),
      ...(isCallback && {
        'X-Svc-Call-ID': callId,
        'X-Svc-Signature-Timestamp': timestamp,
        ...(secrets.length > 0 && { 'X-Svc-Signature': signature }),
      }),
    },
  };
}
