/** The site of a small shop with a voice agent (docs/guides/first-hour.md): run `AGENT=<id> npm run example:shop`, then open http://localhost:8090. The backend has the API key; it creates calls for the widget in its page, is the agent's tool, and receives webhooks. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { developmentKey } from './development-key.ts';
import { servePage } from './serve-page.ts';

const apiUrl = process.env['API_URL'] ?? `http://localhost:${process.env['PORT'] ?? '8080'}`;
const apiKey = process.env['API_KEY'] ?? (await developmentKey());
const agentId = process.env['AGENT'] ?? '';
const webhookSecret = process.env['WEBHOOK_SECRET'] ?? '';

const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <title>Shop</title>
  <link rel="icon" href="data:," />
  <main><h1>Shop</h1><p>Questions about an order? Call our assistant.</p></main>
  <script src="${apiUrl}/sdk/calls-widget.js" data-call-url="/call" async></script>
</html>`;

const ORDERS: Readonly<Record<string, string>> = { 17: 'shipped', 18: 'being packed' };

servePage((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://shop');
  switch (`${request.method ?? ''} ${pathname.replace(/\d+$/u, '{id}')}`) {
    case 'GET /':
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      break;
    case 'POST /call':
      void createCall(response);
      break;
    case 'GET /orders/{id}': {
      const id = pathname.slice('/orders/'.length);
      console.log(`tool: order ${id}`);
      response.end(`Order ${id} is ${ORDERS[id] ?? 'unknown'}.`);
      break;
    }
    case 'POST /webhooks':
      void buffer(request).then((body) => receive(request.headers, body, response));
      break;
    default:
      response.writeHead(404).end();
  }
});

/** A real shop checks here which users may call, and how often. */
async function createCall(response: ServerResponse): Promise<void> {
  response.setHeader('content-type', 'application/json');
  try {
    const created = await fetch(new URL(`/api/agents/${agentId}/calls`, apiUrl), {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ medium: { webRtc: {} } }),
      signal: AbortSignal.timeout(10_000),
    });
    const body = await created.text();
    if (!created.ok) console.error(`POST /api/agents/${agentId}/calls returned ${created.status}: ${body}`);
    response.writeHead(created.status).end(body);
  } catch (thrown) {
    console.error(`${apiUrl} can't be reached: ${String(thrown)}`);
    response.writeHead(502).end('{}');
  }
}

function receive(headers: IncomingHttpHeaders, body: Buffer, response: ServerResponse): void {
  if (!isSigned(headers, body)) {
    console.log('webhook: wrong signature');
    response.writeHead(401).end();
    return;
  }
  const { event, call } = JSON.parse(body.toString()) as {
    event: string;
    /** Absent in the event `webhook.test`. */
    call?: { callId: string; endReason: string | null };
  };
  const about = call ? ` of call ${call.callId} (${call.endReason ?? 'live'})` : '';
  console.log(`webhook: verified ${event}${about}`);
  response.writeHead(200).end();
}

/** See "Verify a signature" in docs/reference/webhooks.md. */
function isSigned(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const timestamp = String(headers['x-svc-webhook-timestamp']);
  if (!(Math.abs(Date.now() - Date.parse(timestamp)) < 60_000)) return false;
  const expected = createHmac('sha256', webhookSecret).update(body).update(timestamp).digest();
  return String(headers['x-svc-webhook-signature'])
    .split(',')
    .map((signature) => Buffer.from(signature, 'hex'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
