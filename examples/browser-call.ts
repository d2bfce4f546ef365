/** A minimal site with a voice agent: run `npm run example:browser`, then open http://localhost:8090. The backend has the API key and creates calls; the page (browser-call.html) joins them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { developmentKey } from './development-key.ts';
import { servePage } from './serve-page.ts';

const apiUrl = process.env['API_URL'] ?? `http://localhost:${process.env['PORT'] ?? '8080'}`;
const apiKey = process.env['API_KEY'] ?? (await developmentKey());
const page = await readFile(join(import.meta.dirname, 'browser-call.html'));

const call = {
  systemPrompt: 'You are Ada, the friendly receptionist of a small hotel by the sea.',
  medium: { webRtc: {} },
  selectedTools: [
    {
      temporaryTool: {
        modelToolName: 'setColour',
        description: 'Changes the colour of the page that the user looks at.',
        dynamicParameters: [
          { name: 'colour', location: 'PARAMETER_LOCATION_BODY', schema: { type: 'string' }, required: true },
        ],
        client: {},
      },
    },
  ],
};

servePage((request, response) => {
  switch (`${request.method ?? ''} ${new URL(request.url ?? '', 'http://page').pathname}`) {
    case 'GET /':
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      break;
    case 'GET /sdk/calls-client.js':
      response.writeHead(307, { location: `${apiUrl}/sdk/calls-client.js` }).end();
      break;
    case 'POST /call':
      void createCall().then(({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      );
      break;
    default:
      response.writeHead(404).end();
  }
});

async function createCall(): Promise<{ status: number; body: string }> {
  try {
    const response = await fetch(new URL('/api/calls', apiUrl), {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(call),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, body: await response.text() };
  } catch (thrown) {
    return { status: 502, body: JSON.stringify({ detail: `${apiUrl} can't be reached: ${String(thrown)}` }) };
  }
}
