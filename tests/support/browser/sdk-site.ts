import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';

const SDK = new URL('../../../services/console/dist/sdk/calls-client.js', import.meta.url);

/** A site of nothing but an empty page, with these headers, and the built browser SDK. */
export async function startSdkSite(
  headers: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const sdk = await readFile(SDK);
  const site = createServer(({ url }, response) => {
    if (url === '/sdk/calls-client.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(sdk);
    } else {
      response
        .writeHead(200, { ...headers, 'content-type': 'text/html' })
        .end('<!doctype html><title>a page</title>');
    }
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(site.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      site.closeAllConnections();
      await new Promise((resolve) => site.close(resolve));
    },
  };
}
