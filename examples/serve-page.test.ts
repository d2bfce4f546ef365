import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

it('servePage names the variable of the port when the port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const shop = fileURLToPath(new URL('shop.ts', import.meta.url));
  const env = { ...process.env, API_KEY: 'any', EXAMPLE_PORT: String(port) };
  try {
    const result = await new Promise((resolve) =>
      execFile(process.execPath, [shop], { env }, (error, _, stderr) =>
        resolve({ code: error?.code, stderr }),
      ),
    );
    expect(result).toEqual({
      code: 1,
      stderr: `cannot serve the page: listen EADDRINUSE: address already in use 127.0.0.1:${port}. To use another port, set EXAMPLE_PORT.\n`,
    });
  } finally {
    other.close();
  }
});
