import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, sourcePaths } from './source-paths.ts';

/** What connects to somewhere: modules of Node, and libraries whose users name the address. */
const MODULES =
  /^(?:(?:node:)?(?:http|https|http2|net|tls|dgram|dns|dns\/promises)|undici|ws|@grpc\/grpc-js|@opentelemetry\/exporter-trace-otlp-proto|@modelcontextprotocol\/.*|got|axios|node-fetch)$/u;
/** Of these modules what listens, tells and describes, and connects to nothing. */
const HARMLESS = new Set([
  'createServer',
  'createSecureServer',
  'createSecureContext',
  'checkServerIdentity',
  'getCACertificates',
  'isIP',
  'isIPv4',
  'isIPv6',
  'BlockList',
  'WebSocketServer',
  'STATUS_CODES',
  'METHODS',
  'createSocket',
  'ProtocolError',
  'SdkHttpError',
]);
/** Without an import; methods of this name are others'. */
const GLOBALS =
  /(?:(?:\b(?:await|return|void|yield)|[[=(,?:>|&])\s*|globalThis\.)fetch\((?!.*\{$)|new (?:WebSocket|EventSource)\(/mu;

/** Where connections begin, and why a customer's URL can lead none of them astray. Everybody else asks @calls/outbound-http. */
const ALLOWED: Readonly<Record<string, string>> = {
  'packages/outbound-http/src/exchange.ts': 'the guard itself',
  'packages/outbound-http/src/guarded-agents.ts': 'the guard itself',
  'packages/outbound-http/src/name-resolver.ts': 'the guard itself',
  'packages/mcp-client/src/mcp-connection.ts': "its requests are the guard's",
  'packages/mcp-client/src/client-credentials.ts': "its requests are the guard's",
  'services/media-worker/src/data-connections/data-socket.ts': "takes the guard's agent",
  'packages/providers/src/http/connection-pool.ts': 'addresses of the configuration',
  'packages/providers/src/http/exchange.ts': 'addresses of the configuration',
  'packages/providers/src/http/socket-link.ts': 'addresses of the configuration',
  'packages/providers/src/tts/google-cloud/rpc-client.ts': 'an address of the configuration',
  'services/media-worker/src/capacity/measure-cost.ts': 'a server of its own',
  'packages/sip/src/transport/open-wire.ts': 'addresses that were looked at (mayReach), or that called',
  'services/media-worker/src/sip/sip-address.ts': 'a name of the configuration',
  'services/media-worker/src/join/pass-request.ts': 'addresses that workers announce of themselves',
  'services/media-worker/src/join/pass-through.ts': 'addresses that workers announce of themselves',
  'packages/api-client/src/admin.ts': "an operator's own service",
  'packages/simulation/src/live/live-line.ts': "an operator's own service, on the operator's machine",
  'packages/simulation/src/cli/service.ts': "an operator's own service, on the operator's machine",
  'packages/doctor/src/checks/check-join.ts': "an operator's own service, on the operator's machine",
  'packages/doctor/src/checks/check-certificate.ts': "an operator's own service, on the operator's machine",
  'packages/doctor/src/checks/check-service.ts': "an operator's own service, on the operator's machine",
  'packages/doctor/src/stun/ask-ice.ts': "an operator's own servers, on the operator's machine",
  'packages/doctor/src/stun/stun-connection.ts': "an operator's own servers, on the operator's machine",
  'packages/telemetry/src/tracing/exported-tracing.ts': 'an address of the configuration',
  'packages/local-stack/src/process/freeze-watch.ts': "the launcher's own services",
  'packages/local-stack/src/data-directory/data-directory-lock.ts': "the launcher's own socket",
  'packages/local-stack/src/servers/exchange.ts': "the launcher's own servers",
  'packages/local-stack/src/servers/external-server.ts': 'addresses of the configuration',
};

/** It has the browser's own guard, and nothing of ours behind it. */
const IN_BROWSERS = /^(?:services\/console|packages\/client)\//u;

const files = sourcePaths()
  .filter((path) => !/\/testkit\/|\.test\.ts$/u.test(path) && !IN_BROWSERS.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** What the module takes from others that can connect: `node:net: connect`. */
function connecting(text: string): string[] {
  const imports = text.matchAll(/^(?:import|export)\s+(?!type\b)([^'"]*?)\s*from\s*'([^']+)'/gmsu);
  const named = [...imports].flatMap(([, what = '', module = '']) => {
    if (!MODULES.test(module)) return [];
    return namesOf(what)
      .filter((name) => !HARMLESS.has(name))
      .map((name) => `${module}: ${name}`);
  });
  const loaded = [...text.matchAll(/(?:import|require|getBuiltinModule)\s*\(\s*'([^']+)'/gu)]
    .map(([, module = '']) => module)
    .filter((module) => MODULES.test(module));
  const code = text.replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gmu, '');
  return [...named, ...loaded, ...(GLOBALS.test(code) ? ['a global'] : [])];
}

function importsOfDns(text: string): string {
  return connecting(text)
    .filter((way) => way.startsWith('node:dns'))
    .join();
}

/** Of an import clause the values, by the names that the module gives them. */
function namesOf(clause: string): string[] {
  const braces = /\{([^}]*)\}/su.exec(clause)?.[1];
  const rest = clause
    .replace(/\{[^}]*\}/su, '')
    .replaceAll(',', ' ')
    .trim();
  const named = (braces ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.startsWith('type '))
    .map((part) => part.split(/\s+as\s+/u)[0] ?? part);
  return rest === '' ? named : [...named, rest];
}

describe('connections to elsewhere', () => {
  it('are seen in whatever way they are made', () => {
    const ways = [
      `import { request } from 'node:http';`,
      `import {\n  createServer,\n  connect as dial,\n} from 'node:net';`,
      `import * as tls from 'node:tls';`,
      `import https from 'https';`,
      `import { WebSocket, type RawData } from 'ws';`,
      `import { lookup } from 'node:dns/promises';`,
      `export { request } from 'undici';`,
      `const { request } = await import('node:https');`,
      `const answer = await fetch(url);`,
      `return fetch(url);`,
      `await Promise.all([\n  fetch(url),`,
      `const asked = urls.map((url) => fetch(url));`,
      `const socket = new WebSocket(url);`,
    ];
    expect(ways.filter((text) => connecting(text).length === 0)).toEqual([]);
    const others = [
      `import { createServer, type IncomingMessage } from 'node:http';`,
      `import type { Socket } from 'node:net';`,
      `import { type RawData, WebSocketServer } from 'ws';`,
      `await source.fetch(page);`,
      `  async fetch(page) {`,
      `{\n  scope,\n  fetch({ from }) {`,
      ` * A fetch(…) of what is there.`,
      `this.#fetch(url)`,
    ];
    expect(others.filter((text) => connecting(text).length > 0)).toEqual([]);
  });

  it('begin in the guarded client, or lead where no customer has a say', () => {
    const found = files.flatMap(({ path, text }) => {
      const ways = connecting(text);
      return ways.length === 0 || path in ALLOWED ? [] : [`${path}: ${ways.join(', ')}`];
    });
    expect(found).toEqual([]);
  });

  it('are made by each file that may make them', () => {
    const idle = Object.keys(ALLOWED).filter(
      (path) => !files.some((file) => file.path === path && connecting(file.text).length > 0),
    );
    expect(idle).toEqual([]);
  });

  it('look no name of customers up in the thread pool, which engines need for their own', () => {
    const users = files.filter(({ text }) => /\blookup\b/u.test(importsOfDns(text)));
    expect(users.map(({ path }) => path).sort()).toEqual([
      // An operator's own servers and addresses.
      'packages/doctor/src/stun/ask-ice.ts',
      'services/media-worker/src/sip/sip-address.ts',
    ]);
  });

  it('of WebSockets to customers go by the guarded agent', () => {
    const users = files.filter(({ text }) => text.includes('new DataSocket('));
    expect(users.map(({ path }) => path)).toEqual([
      'services/media-worker/src/data-connections/customer-data-connection.ts',
    ]);
    expect(users.every(({ text }) => text.includes('agent: outbound.agentFor(url)'))).toBe(true);
  });
});
