import { readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, relative, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { importsOf, ROOT, sourcePaths, withoutTypeImports } from './source-paths.ts';

interface SourceFile {
  /** From the root, with forward slashes. */
  path: string;
  /** `packages/audio`, `services/dispatcher`. */
  home: string;
  isTest: boolean;
  text: string;
  imports: string[];
}

function sourceFiles(): SourceFile[] {
  return sourcePaths().map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return {
      path,
      home: path.split('/').slice(0, 2).join('/'),
      isTest: path.endsWith('.test.ts'),
      text,
      imports: importsOf(text),
    };
  });
}

const files = sourceFiles();
const code = files.filter(({ isTest, home }) => !isTest && home !== 'packages/testkit');

/** The packages that may import each library. All other code uses the interfaces of these packages. */
const HOMES: Record<string, readonly string[]> = {
  express: ['services/control-plane'],
  'openapi-explorer': ['services/control-plane'],
  'openapi-fetch': ['packages/api-client'],
  '@redocly/openapi-core': ['packages/api-client'],
  '@stoplight': ['packages/api-client'],
  react: ['services/console', 'packages/client'],
  'react-dom': ['services/console'],
  'react-router': ['services/console'],
  '@mantine': ['services/console'],
  '@tanstack/react-query': ['services/console'],
  diff: ['services/console'],
  'markdown-it': ['services/docs-site'],
  markdownlint: ['services/docs-site'],
  minisearch: ['services/docs-site'],
  '@fastify/busboy': ['services/control-plane'],
  '@modelcontextprotocol': ['packages/mcp-client'],
  koffi: ['packages/transports'],
  mediasoup: ['packages/transports'],
  kysely: ['packages/store'],
  pg: ['packages/store'],
  bullmq: ['packages/redis'],
  ioredis: ['packages/redis'],
  nats: ['packages/bus'],
  eld: ['packages/corpora'],
  mammoth: ['packages/corpora'],
  parse5: ['packages/corpora'],
  'robots-parser': ['packages/corpora'],
  unpdf: ['packages/corpora'],
  ajv: ['packages/foundation'],
  re2js: ['packages/foundation'],
  // Other packages evaluate customers' schemas and patterns in worker processes.
  '@calls/foundation/schema/untrusted-schema': ['packages/untrusted-work'],
  '@calls/foundation/schema/linear-pattern': ['packages/untrusted-work'],
  'libopus-wasm': ['packages/audio'],
  'sdp-transform': ['packages/transports'],
  'mediasoup-client': ['packages/client'],
  'prom-client': ['packages/telemetry'],
  '@aws-sdk': ['packages/object-storage'],
  '@opentelemetry': ['packages/telemetry'],
  jose: ['packages/secrets'],
  pino: ['packages/foundation'],
  uuid: ['packages/foundation'],
  'onnxruntime-node': ['packages/providers'],
  'sherpa-onnx-node': ['packages/providers'],
  '@grpc/grpc-js': ['packages/providers'],
  yaml: ['services/control-plane', 'packages/simulation'],
  ws: [
    'packages/doctor',
    'packages/providers',
    'packages/transports',
    'services/media-worker',
    'services/control-plane',
  ],
};

/** The package that a specifier names: `@calls/audio` of `@calls/audio/pcm`. */
const packageOf = (specifier: string): string => specifier.split('/', 2).join('/');

function offenders(offends: (file: SourceFile, specifier: string) => boolean, among = code): string[] {
  return among.flatMap((file) =>
    file.imports
      .filter((specifier) => offends(file, specifier))
      .map((specifier) => `${file.path} → ${specifier}`),
  );
}

describe('the source code', () => {
  it('is read with its imports', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(code.some(({ imports }) => imports.includes('express'))).toBe(true);
  });

  it('has no imports of services, neither in packages nor in other services', () => {
    const services = readdirSync(join(ROOT, 'services')).map((name) => `@calls/${name}`);
    expect(offenders((_file, specifier) => services.includes(packageOf(specifier)))).toEqual([]);
  });

  it('crosses package boundaries by package name only', () => {
    expect(
      offenders((file, specifier) => {
        if (!specifier.startsWith('.')) return false;
        const target = relative(ROOT, join(ROOT, file.path, '..', specifier))
          .split(sep)
          .join('/');
        return !target.startsWith(`${file.home}/`);
      }, files),
    ).toEqual([]);
  });

  it('limits the conversation to ports: no provider, transport, bus, store or network', () => {
    const allowed = new Set([
      '@calls/foundation',
      '@calls/api-contract',
      '@calls/audio',
      '@calls/engine-ports',
      '@calls/conversation/tools',
    ]);
    const conversation = code.filter(({ home }) => home === 'packages/conversation');
    expect(
      offenders(
        (_file, specifier) => !specifier.startsWith('.') && !allowed.has(packageOf(specifier)),
        conversation,
      ),
    ).toEqual([]);
  });

  it('limits transports to the telephony vendors among the providers', () => {
    const transports = code.filter(({ home }) => home === 'packages/transports');
    expect(
      offenders((_file, specifier) => /^@calls\/providers\/(?!telephony\/)/u.test(specifier), transports),
    ).toEqual([]);
  });

  it('limits the API contract to the vendor descriptors among the providers', () => {
    const contract = code.filter(({ home }) => home === 'packages/api-contract');
    const ofVendors =
      /^@calls\/providers\/(?:telephony\/telephony-vendors?|tts\/tts-vendors?|setting-fields|config\/catalogue-voice)$/u;
    expect(
      offenders(
        (_file, specifier) => packageOf(specifier) === '@calls/providers' && !ofVendors.test(specifier),
        contract,
      ),
    ).toEqual([]);
  });

  it('limits SIP signalling to the foundation, so that it does not depend on the service', () => {
    const sip = code.filter(({ home }) => home === 'packages/sip');
    expect(sip.length).toBeGreaterThan(0);
    expect(
      offenders((_file, specifier) => !/^(?:\.|node:|@calls\/foundation\/)/u.test(specifier), sip),
    ).toEqual([]);
  });

  it('has no import of the store in the media-worker', () => {
    const worker = code.filter(({ home }) => home === 'services/media-worker');
    expect(offenders((_file, specifier) => packageOf(specifier) === '@calls/store', worker)).toEqual([]);
  });

  it('does not import the testkit outside of tests, nor list it as a run-time dependency', () => {
    const isTestkit = (specifier: string): boolean => /^@calls\/testkit(?:\/|$)/u.test(specifier);
    expect(offenders((_file, specifier) => isTestkit(specifier))).toEqual([]);
    const examples = readdirSync(join(ROOT, 'examples')).filter((name) => /(?<!\.test)\.ts$/u.test(name));
    const importing = examples.filter((name) =>
      importsOf(readFileSync(join(ROOT, 'examples', name), 'utf8')).some(isTestkit),
    );
    expect(importing).toEqual([]);
    const homes = [...new Set(files.map(({ home }) => home)), 'examples'];
    const installing = homes.filter((home) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, home, 'package.json'), 'utf8')) as {
        dependencies?: Record<string, string>;
      };
      return Object.keys(manifest.dependencies ?? {}).some(isTestkit);
    });
    expect(installing).toEqual([]);
  });

  it('limits the browser SDK to mediasoup-client and types of the contract', () => {
    const hooks = 'packages/client/src/react.ts';
    const ofHooks = files.find(({ path }) => path === hooks)?.imports ?? [];
    expect(ofHooks.filter((specifier) => !specifier.startsWith('.'))).toEqual(['react']);
    const client = code.filter(({ home, path }) => home === 'packages/client' && path !== hooks);
    expect(client.length).toBeGreaterThan(10);
    const taken = client.map((file) => ({ ...file, imports: importsOf(withoutTypeImports(file.text)) }));
    expect(
      offenders(
        (_file, specifier) => !specifier.startsWith('.') && !/^mediasoup-client(?:\/|$)/u.test(specifier),
        taken,
      ),
    ).toEqual([]);
  });

  it.each(Object.entries(HOMES))('imports %s only in the packages that encapsulate it', (library, homes) => {
    expect(
      offenders(
        (file, specifier) =>
          (specifier === library || specifier.startsWith(`${library}/`)) && !homes.includes(file.home),
      ),
    ).toEqual([]);
  });

  it('has no barrels: every import names the module that declares what it imports', () => {
    const published = new Set(['packages/client/src/index.ts', 'packages/api-client/src/index.ts']);
    const barrels = code.filter(({ path, text }) => {
      const statements = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, '').split(';');
      const isReExport = (statement: string): boolean =>
        /^\s*export\b[^=]*\bfrom\s*'[^']*'\s*$/u.test(statement);
      return !published.has(path) && statements.filter((each) => each.trim() !== '').every(isReExport);
    });
    expect(barrels.map(({ path }) => path)).toEqual([]);
  });

  it('has only package exports that other packages import or that npm publishes', () => {
    const imported = new Set(
      sourcePaths(['packages', 'services', 'examples', 'tests']).flatMap((path) =>
        importsOf(readFileSync(join(ROOT, path), 'utf8')),
      ),
    );
    const unused = [...new Set(code.map(({ home }) => home))].flatMap((home) => {
      const manifest = readFileSync(join(ROOT, home, 'package.json'), 'utf8');
      const {
        name,
        exports = {},
        publishConfig,
      } = JSON.parse(manifest) as {
        name: string;
        exports?: Record<string, unknown>;
        publishConfig?: { exports: Record<string, unknown> };
      };
      const own = Object.keys(exports).filter((entry) => !(entry in (publishConfig?.exports ?? {})));
      const entries = own.map((entry) => entry.replace('.', name));
      const isImported = (entry: string): boolean =>
        imported.has(entry) || [...imported].some((each) => matchesGlob(each, entry.replace('*', '**')));
      return entries.filter((entry) => entry !== name && !isImported(entry));
    });
    expect(unused).toEqual([]);
  });

  it('reads environment variables through declarations, and process.env only in entry points', () => {
    const isStart = /\/main\.ts$|\/(?:prepare-database|reseal-secrets)\.ts$/u;
    // Exceptions: PATH is used to find programs, and ONNX Runtime reads its own variable.
    const others = /\bprocess\.env\['(?:PATH|ORT_DISABLE_TELEMETRY)'\]/gu;
    const offending = code.filter(({ path, text }) => {
      const reads = text.replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gmu, '').replaceAll(others, '');
      return (isStart.test(path) ? /process\.env\s*[[.]/u : /process\.env/u).test(reads);
    });
    expect(offending.map(({ path }) => path)).toEqual([]);
  });

  it('has no files above 350 lines', () => {
    const long = code.filter(({ text }) => text.split('\n').length > 350).map(({ path }) => path);
    expect(long).toEqual([]);
  });
});
