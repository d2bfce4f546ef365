import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseClientMessage } from '@calls/api-contract/data-messages/client-messages';
import { operations } from '@calls/api-contract/operations';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import { compileValidator } from '@calls/foundation/schema/validator';
import { signRequest } from '@calls/outbound-http/request-signature';
import { publishedDocument, readServerMessage } from '../support/contract/read-published.ts';
import { ROOT } from './source-paths.ts';

const AN_ID = '01a1fd5d-9c1e-7f00-b1f1-0242ac120002';

interface Example {
  page: string;
  method: string;
  path: string;
  /** JSON text; undefined without a body. */
  body: string | undefined;
}

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

function blocksOf(page: string, language: string): string[] {
  const pattern = new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gmu');
  return [...read(page).matchAll(pattern)].map(([, block]) => block ?? '');
}

/** The API requests in the shell blocks of a page. Shell variables with ids are replaced by AN_ID. */
function examplesOf(page: string): Example[] {
  const commands = blocksOf(page, 'sh').flatMap((block) =>
    block.replaceAll(/"'\$\w+'"/gu, `"${AN_ID}"`).split(/(?=\bcurl\b)/u),
  );
  return commands.flatMap((command) => {
    const path = /^curl\b[^']*?\$A(\/api\/[^\s"?]*)/u.exec(command)?.[1];
    if (path === undefined) return [];
    const body = /-d '([^']*)'/u.exec(command)?.[1];
    const method = /-X (\w+)/u.exec(command)?.[1] ?? (body === undefined ? 'GET' : 'POST');
    return [{ page, method, path: path.replaceAll(/\$\w+/gu, AN_ID), body }];
  });
}

function operationOf({ method, path }: Example): AnyOperation | undefined {
  const fits = (template: string): boolean => {
    const parts = template.split('/');
    const given = path.split('/');
    return (
      parts.length === given.length && parts.every((part, i) => part.startsWith('{') || part === given[i])
    );
  };
  const candidates = operations.filter((operation) => operation.method === method && fits(operation.path));
  return candidates.find((operation) => operation.path === path) ?? candidates[0];
}

const pages = globSync('docs/**/*.md', { cwd: ROOT }).sort();
/** Anchors of operations in the API reference, in the format of openapi-explorer. */
const operationAnchors = [
  ...operations.map(({ method, path }) => `${method.toLowerCase()}-${path}`),
  ...Object.keys(publishedDocument().webhooks ?? {}).map((name) => `post-${name}`),
].map((route) => `?route=${route.replaceAll(/[\s#:?&={}-]+/gu, '-')}`);
const examples = pages.flatMap(examplesOf);

describe('examples and links in the documentation', () => {
  it('include requests to the API', () => {
    expect(examples.length).toBeGreaterThan(30);
  });

  it.each(
    examples.map((example) => [`${example.page}: ${example.method} ${example.path}`, example] as const),
  )('%s is an existing operation with a valid body', (_, example) => {
    const operation = operationOf(example);
    expect(operation?.id).toEqual(expect.any(String));
    if (example.body === undefined || operation?.body === undefined) return;
    const issues = compileValidator('request body', operation.body).issues(JSON.parse(example.body));
    expect(issues).toEqual([]);
  });

  it('link to existing operations of the API reference', () => {
    const links = pages.flatMap((page) => [...read(page).matchAll(/\/docs\/api#([^)\s]+)/gu)]);
    const unknown = links
      .map(([, anchor = '']) => anchor)
      .filter((anchor) => !operationAnchors.includes(anchor));
    expect(links.length).toBeGreaterThan(3);
    expect(unknown).toEqual([]);
  });

  it('show client messages that a call accepts', () => {
    const [messages = ''] = blocksOf('docs/reference/data-messages.md', 'json');
    const lines = messages.trim().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.map((line) => parseClientMessage(line).kind)).toEqual(lines.map(() => 'message'));
  });

  it('show server messages that the API description has', () => {
    const [, messages = ''] = blocksOf('docs/reference/data-messages.md', 'json');
    const lines = messages.trim().split(/\n(?=\{)/u);
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) readServerMessage(line);
  });

  it('have webhook code that accepts the documented signature, and no other', async () => {
    const page = 'docs/reference/webhooks.md';
    const [source = ''] = blocksOf(page, 'js');
    const { isSigned } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      isSigned: (body: string, headers: Record<string, string>, secret: string, nowMs: number) => boolean;
    };
    const [, secret = '', body = '', timestamp = '', signature = ''] =
      /secret `([^`]+)`, the body `([^`]+)` and the timestamp\s+`([^`]+)`, the signature is\s+`([^`]+)`/u.exec(
        read(page),
      ) ?? [];
    const headers = { 'x-svc-webhook-timestamp': timestamp, 'x-svc-webhook-signature': signature };
    const sentMs = Date.parse(timestamp);
    expect(isSigned(body, headers, secret, sentMs + 59_000)).toBe(true);
    expect(isSigned(body, headers, secret, sentMs + 60_000)).toBe(false);
    expect(isSigned(body, headers, `${secret}!`, sentMs)).toBe(false);
    expect(isSigned(`${body} `, headers, secret, sentMs)).toBe(false);
  });

  it('have a webhook receiver that accepts the test event', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'calls-receiver-'));
    const [verify = ''] = blocksOf('docs/reference/webhooks.md', 'js');
    const [receiver = ''] = blocksOf('docs/guides/webhooks.md', 'js');
    const listening = receiver.replace(
      'listen(3000)',
      'listen(0, function () { process.send(this.address().port); })',
    );
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    await writeFile(join(folder, 'is-signed.js'), verify);
    await writeFile(join(folder, 'receiver.js'), listening);
    const child = fork(join(folder, 'receiver.js'), { env: { WEBHOOK_SECRET: 'a secret' }, silent: true });
    try {
      const [port] = (await once(child, 'message')) as [number];
      const body = JSON.stringify({ event: 'webhook.test', webhookId: AN_ID });
      const { timestamp, signature } = signRequest(body, ['a secret'], Date.now());
      const headers = { 'X-Svc-Webhook-Timestamp': timestamp, 'X-Svc-Webhook-Signature': signature };
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
      expect(response.status).toBe(200);
    } finally {
      child.kill();
      await rm(folder, { recursive: true });
    }
  });
});
