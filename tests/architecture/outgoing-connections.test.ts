import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, sourcePaths } from './source-paths.ts';

/** Modules that can open connections: those of Node.js, and libraries that connect to a given address. */
const MODULES =
  /^(?:(?:node:)?(?:http|https|http2|net|tls|dgram|dns|dns\/promises)|undici|ws|@grpc\/grpc-js|@opentelemetry\/exporter-trace-otlp-proto|@modelcontextprotocol\/.*|got|axios|node-fetch)$/u;
/** Exports of these modules that open no connections. */
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
/** Globals that open connections. Methods of the same name do not match. */
const GLOBALS =
  /(?:(?:\b(?:await|return|void|yield)|[[=(,?:>|&])\s*|globalThis\.)fetch\((?!.*\{$)|new (?:WebSocket|EventSource)\(/mu;

/** Files that may open connections, and why customers' URLs are no risk there. All others use @calls/outbound-http. */
const ALLOWED: Readonly<Record<string, string>> = {
  'packages/outbound-http/src/exchange.ts': 'the guard itself',
  'packages/outbound-http/src/guarded-agents.ts': 'the guard itself',
  'packages/outbound-http/src/name-resolver.ts': 'the guard itself',
  'packages/mcp-client/src/mcp-connection.ts': "uses the guard's requests",
  'packages/mcp-client/src/client-credentials.ts': "uses the guard's requests",
  'services/media-worker/src/data-connections/data-socket.ts': "uses the guard's agent",
  'packages/providers/src/http/connection-pool.ts': 'addresses of the configuration',
  'packages/providers/src/http/exchange.ts': 'addresses of the configuration',
  'packages/providers/src/http/socket-link.ts': 'addresses of the configuration',
  'packages/providers/src/http/shared-lookup.ts': 'names of the configuration',
  'packages/providers/src/tts/google-cloud/rpc-client.ts': 'an address of the configuration',
  'services/media-worker/src/capacity/measure-cost.ts': 'its own server',
  'packages/sip/src/transport/open-message-transport.ts':
    'addresses that mayReach permits, or that sent the call',
  'services/media-worker/src/sip/sip-address.ts': 'a name of the configuration',
  'services/media-worker/src/join/forward-request.ts': 'addresses that workers announce',
  'services/media-worker/src/join/forward-connection.ts': 'addresses that workers announce',
  'packages/api-client/src/admin.ts': "an operator's own service",
  'packages/simulation/src/live/live-line.ts': "an operator's own service, on the operator's machine",
  'packages/simulation/src/cli/service.ts': "an operator's own service, on the operator's machine",
  'packages/doctor/src/checks/check-join.ts': "an operator's own service, on the operator's machine",
  'packages/doctor/src/checks/check-certificate.ts': "an operator's own service, on the operator's machine",
  'packages/doctor/src/checks/check-service.ts': "an operator's own service, on the operator's machine",
  'packages/doctor/src/stun/check-ice.ts': "an operator's own servers, on the operator's machine",
  'packages/doctor/src/stun/stun-connection.ts': "an operator's own servers, on the operator's machine",
  'packages/telemetry/src/tracing/exported-tracing.ts': 'an address of the configuration',
  'packages/local-stack/src/process/freeze-watch.ts': "the launcher's own services",
  'packages/local-stack/src/data-directory/data-directory-lock.ts': "the launcher's own socket",
  'packages/local-stack/src/servers/exchange.ts': "the launcher's own servers",
  'packages/local-stack/src/servers/external-server.ts': 'addresses of the configuration',
};

/** Runs in browsers, which restrict connections themselves and cannot reach internal services. */
const IN_BROWSERS = /^(?:services\/console|packages\/client)\//u;

const files = sourcePaths()
  .filter((path) => !/\/testkit\/|\.test\.ts$/u.test(path) && !IN_BROWSERS.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** The ways in which a file can open connections, such as `node:net: connect`. */
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

/** The values in an import clause, by their exported names. */
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

describe('outgoing connections', () => {
  it('are detected however they are made', () => {
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

  it('are made only by the guarded client and the listed files', () => {
    const found = files.flatMap(({ path, text }) => {
      const ways = connecting(text);
      return ways.length === 0 || path in ALLOWED ? [] : [`${path}: ${ways.join(', ')}`];
    });
    expect(found).toEqual([]);
  });

  it('are made by each of the listed files', () => {
    const idle = Object.keys(ALLOWED).filter(
      (path) => !files.some((file) => file.path === path && connecting(file.text).length > 0),
    );
    expect(idle).toEqual([]);
  });

  it('do not resolve names of customers in the thread pool, which the engines need', () => {
    const users = files.filter(
      ({ text }) => /\blookup\b/u.test(importsOfDns(text)) || text.includes('dns.lookup('),
    );
    expect(users.map(({ path }) => path).sort()).toEqual([
      // Names of an operator's own servers, and of those that an operator configures.
      'packages/doctor/src/stun/check-ice.ts',
      'packages/providers/src/http/shared-lookup.ts',
      'services/media-worker/src/sip/sip-address.ts',
    ]);
  });

  it('of WebSockets to customers use the guarded agent', () => {
    const users = files.filter(({ text }) => text.includes('new DataSocket('));
    expect(users.map(({ path }) => path)).toEqual([
      'services/media-worker/src/data-connections/customer-data-connection.ts',
    ]);
    expect(users.every(({ text }) => text.includes('agent: outbound.agentFor(url)'))).toBe(true);
  });
});
