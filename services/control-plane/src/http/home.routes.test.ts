import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listen } from '@calls/foundation';
import express from 'express';
import { homeRoutes } from './home.routes.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function getHome(publicUrl: string): Promise<{ headers: Headers; html: string }> {
  server = createServer(express().use(homeRoutes(publicUrl)));
  const port = await listen(server, { port: 0, variable: 'PORT' });
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.status).toBe(200);
  return { headers: response.headers, html: await response.text() };
}

describe('the home page', () => {
  it('runs its own script and style under a policy that allows nothing else', async () => {
    const { headers, html } = await getHome('http://calls.test:8080');
    const policy = headers.get('Content-Security-Policy') ?? '';
    const directives = new Map(
      policy.split('; ').map((directive) => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values.join(' ')];
      }),
    );
    for (const element of ['script', 'style']) {
      const blocks = [...html.matchAll(new RegExp(`<${element}[^>]*>([^]*?)</${element}>`, 'gu'))];
      expect(blocks).toHaveLength(1);
      const hash = createHash('sha256')
        .update(blocks[0]?.[1] ?? '')
        .digest('base64');
      expect(directives.get(`${element}-src`)).toBe(`'sha256-${hash}'`);
    }
    expect(directives.get('default-src')).toBe(`'none'`);
    expect(directives.get('frame-ancestors')).toBe(`'none'`);
    // What such a policy refuses: inline handlers and styles, anything from elsewhere.
    expect(html).not.toMatch(/\s(?:on\w+|style)=|\ssrc=|href="(?!\/|data:,)/u);
  });

  it('shows the first call to this very installation, as text', async () => {
    const { html } = await getHome('https://calls.example/?<b>');
    expect(html).toContain('curl https://calls.example/api/calls \\\n');
    expect(html).not.toContain('{{');
    expect(html).not.toContain('<b>');
  });
});
