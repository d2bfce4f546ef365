import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chromium } from 'playwright-core';
import { publint } from 'publint';
import { repository } from '../../scripts/setup/host.mjs';
import { findPnpm } from '../../scripts/setup/pnpm.mjs';
import { packPublished, PUBLISHED } from '../../scripts/release/pack.mjs';
import { CHROMIUM } from '../support/browser/open-browser.ts';

// The packages are built and installed while other tests use the processors.
jest.setTimeout(300_000);

const PROGRAM = `
import { createApiClient, type Schemas } from '@calls/api-client';
import { CallSession, type CallStatus, type ServerMessage, testNetwork, VERSION } from '@calls/client';
import { useCall, useTranscript } from '@calls/client/react';

const api = createApiClient({ baseUrl: 'http://localhost', apiKey: 'key' });
const body: Schemas['StartCallRequest'] = { systemPrompt: 'You are a receptionist.' };
export async function join(): Promise<CallStatus> {
  const { data } = await api.POST('/api/calls', { body });
  const session = new CallSession({ additionalMessages: ['debug'] });
  if (data) await session.joinCall(data.joinUrl ?? '');
  return session.status;
}
export const version: string = VERSION;
export function textOf(message: ServerMessage): string {
  switch (message.type) {
    case 'transcript':
      return message.text ?? message.delta ?? '';
    case 'call_event':
      return message.text;
    default:
      return '';
  }
}
export async function isGood(joinUrl: string): Promise<boolean> {
  return (await testNetwork(joinUrl)).verdict === 'good';
}
export const useTexts = (): string[] => useTranscript(useCall().session).map(({ text }) => text);
// @ts-expect-error: the message has no such field
new CallSession().sendData({ type: 'dtmf', keys: '1' });
// @ts-expect-error: the path does not exist
void api.GET('/api/no-such-path');
// @ts-expect-error: the message type does not exist
new CallSession({ additionalMessages: ['no_such_message'] });
`;

let project;

/** Where the packages are installed in the project. */
const installed = (name) => join(project, 'node_modules/@calls', name);

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'calls-packages-'));
  const tarballs = await packPublished(process.execPath, project);
  const dependencies = Object.entries(tarballs).map(([name, path]) => [`@calls/${name}`, `file:${path}`]);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: Object.fromEntries(dependencies) }),
  );
  writeFileSync(join(project, 'program.ts'), PROGRAM);
  execFileSync(await findPnpm(), ['install', '--prefer-offline', '--ignore-workspace'], { cwd: project });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the published npm packages', () => {
  it.each(PUBLISHED)(
    '%s passes publint and contains only the build, its types and documents',
    async (name) => {
      const { messages } = await publint({ pkgDir: installed(name), pack: false, strict: true });
      expect(messages).toEqual([]);
      const files = execFileSync('find', ['.', '-type', 'f'], { cwd: installed(name), encoding: 'utf8' });
      const own = files.split('\n').filter((file) => file !== '' && !file.includes('/node_modules/'));
      expect(own).toEqual(expect.arrayContaining(['./README.md', './LICENSE', './package.json']));
      expect(
        own.filter((file) => !/^\.\/(?:dist\/.+(?:\.js|\.js\.map|\.d\.ts|\.md)|[^/]+)$/u.test(file)),
      ).toEqual([]);
      expect(own.filter((file) => file.includes('.test.'))).toEqual([]);
      for (const file of own.filter((each) => each.endsWith('.d.ts')))
        expect(readFileSync(join(installed(name), file), 'utf8')).not.toContain('@calls/');
      const { license, sideEffects, ...manifest } = JSON.parse(
        readFileSync(join(installed(name), 'package.json'), 'utf8'),
      );
      expect({ license, sideEffects, private: manifest.private }).toEqual({
        license: 'Apache-2.0',
        sideEffects: false,
        private: undefined,
      });
    },
  );

  it.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('compile in a project with module %s and moduleResolution %s', (module, moduleResolution) => {
    const options = { module, moduleResolution, target: 'es2022', lib: ['es2022', 'dom'], types: [] };
    const config = join(project, `tsconfig.${moduleResolution}.json`);
    const compilerOptions = { ...options, strict: true, noEmit: true, skipLibCheck: false };
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', config], { cwd: project, stdio: 'inherit' });
  });

  it('include an api-client that sends the key and returns the response', async () => {
    const server = createServer((request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ key: request.headers['x-api-key'], path: request.url }));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const script = `
      import { createApiClient } from '@calls/api-client';
      const api = createApiClient({ baseUrl: 'http://127.0.0.1:${server.address().port}', apiKey: 'key' });
      process.stdout.write(JSON.stringify((await api.GET('/api/voices')).data));`;
    writeFileSync(join(project, 'run.mjs'), script);
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['run.mjs'], { cwd: project });
      expect(JSON.parse(stdout)).toEqual({ key: 'key', path: '/api/voices' });
    } finally {
      server.close();
    }
  });

  it('include a client with source maps of the SDK’s sources', () => {
    const dist = join(installed('client'), 'dist');
    for (const [file, source] of [
      ['calls-client.js', 'src/call-session.ts'],
      ['calls-widget.js', 'src/widget/calls-widget.ts'],
      ['calls-client-react.js', 'src/react.ts'],
    ]) {
      expect(readFileSync(join(dist, file), 'utf8')).toContain(`//# sourceMappingURL=${file}.map`);
      const { sources, sourcesContent } = JSON.parse(readFileSync(join(dist, `${file}.map`), 'utf8'));
      const at = sources.findIndex((path) => path.endsWith(source));
      expect(sourcesContent[at]).toContain('export ');
    }
  });

  it('include hooks that server components may not call', () => {
    const hooks = readFileSync(join(installed('client'), 'dist/calls-client-react.js'), 'utf8');
    expect(hooks).toMatch(/^"use client";/u);
  });

  it('include a client that loads in a page without a bundler', async () => {
    const server = createServer((request, response) => {
      const isModule = request.url === '/calls-client.js';
      response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
      response.end(
        isModule ? readFileSync(join(installed('client'), 'dist/calls-client.js')) : '<!doctype html>',
      );
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      const status = await page.evaluate(
        "import('/calls-client.js').then(({ CallSession }) => new CallSession().status)",
      );
      expect(status).toBe('disconnected');
    } finally {
      await browser.close();
      server.close();
    }
  });
});
