import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';

const SDK_FOLDER = new URL('../../../services/console/dist/sdk/', import.meta.url);
const SDK_FILES = ['calls-client.js', 'calls-widget.js'];

export interface SdkSiteOptions {
  /** HTML of the page. Default: an empty page. */
  html?: string;
  /** Additional scripts by path. */
  scripts?: Readonly<Record<string, string>>;
  /** Creates the call for `POST /call`, as the server of a site does. When it rejects, the response has status 500. */
  createCall?: () => Promise<{ joinUrl: string }>;
}

/** A site with one page, served with these headers, and the built browser SDK at `/sdk/`. */
export async function startSdkSite(
  headers: Readonly<Record<string, string>> = {},
  { html = '<!doctype html><title>a page</title>', scripts = {}, createCall }: SdkSiteOptions = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const sdk = await Promise.all(
    SDK_FILES.map(
      async (name) => [`/sdk/${name}`, await readFile(new URL(name, SDK_FOLDER), 'utf8')] as const,
    ),
  );
  const files = new Map([...sdk, ...Object.entries(scripts)]);
  const create = async (response: ServerResponse): Promise<void> => {
    try {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(await createCall?.()));
    } catch {
      response.writeHead(500).end();
    }
  };
  const site = createServer(({ method, url = '' }, response) => {
    const file = files.get(url);
    if (file !== undefined) response.setHeader('content-type', 'text/javascript').end(file);
    else if (method === 'POST' && url === '/call') void create(response);
    else response.writeHead(200, { ...headers, 'content-type': 'text/html' }).end(html);
  });
  const port = await listenOnLoopback(site);
  return { url: `http://localhost:${port}/`, [Symbol.asyncDispose]: () => closeServer(site) };
}
