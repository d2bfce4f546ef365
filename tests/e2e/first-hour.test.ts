import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '@calls/local-stack/free-port';
import { afterAll, expect, it } from '@jest/globals';
import { openBrowser } from '../support/browser/open-browser.ts';
import { probePage } from '../support/browser/page-probe.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack, testEnvironment } from '../support/start-stack.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/guides/first-hour.md');

/** A terminal in which the blocks of the page run one after another. */
class Terminal implements AsyncDisposable {
  output = '';
  readonly #shell;
  #blocks = 0;

  constructor(folder: string, env: Record<string, string>) {
    // Detached: its own process group contains everything that the blocks leave running.
    this.#shell = spawn('bash', [], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#shell.stdout.on('data', (bytes: Buffer) => (this.output += bytes.toString()));
    this.#shell.stdin.write(`set -o pipefail\nnpm() { command npm --prefix ${ROOT} "$@"; }\n`);
  }

  /** Resolves with the output of the block; rejects if its last command fails. */
  async run(block: string): Promise<string> {
    this.#blocks += 1;
    const end = new RegExp(`<end ${String(this.#blocks)} (\\d+)>`, 'u');
    const from = this.output.length;
    this.#shell.stdin.write(`${block}\necho "<end ${String(this.#blocks)} $?>"\n`);
    const [, code = ''] = await eventually(() => {
      const found = end.exec(this.output);
      if (!found) throw new Error(`not finished: ${block}\n${this.output.slice(from)}`);
      return found;
    });
    const printed = this.output.slice(from).replace(end, '');
    if (code !== '0') throw new Error(`exit code ${code}: ${block}\n${printed}`);
    return printed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#shell, 'exit');
    process.kill(-(this.#shell.pid ?? 0), 'SIGKILL');
    await ended;
  }
}

const [sip, rtp] = [await findFreePorts(2), await findFreePorts(20)];
const shopPort = await findFreePorts(1);
const folder = await mkdtemp(join(tmpdir(), 'calls-first-hour-'));
const page = await readFile(PAGE, 'utf8');
const [start = '', ...others] = [...page.matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, block]) => block ?? '');
const [, variables = ''] = /^(.*) npm start\n$/u.exec(start) ?? [];
const stack = await startTestStack({
  env: Object.fromEntries(variables.split(' ').map((each) => each.split('='))) as Record<string, string>,
  ports: { sip },
});
await mkdir(join(folder, '.data'));
await writeFile(join(folder, '.data/dev-api-key'), stack.developmentKey);
const blocks = others.map((block) =>
  block
    .replaceAll('http://localhost:8080', stack.apiUrl)
    .replaceAll('127.0.0.1:5060', `127.0.0.1:${String(sip)}`)
    .replaceAll(':8090', `:${String(shopPort)}`)
    .replaceAll('23000-23010', `${String(rtp)}-${String(rtp + 19)}`),
);
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

it('the commands of the first-hour guide create a tested agent on a web page and a phone, with verified webhooks', async () => {
  await using terminal = new Terminal(folder, {
    ...testEnvironment(),
    API_URL: stack.apiUrl,
    API_KEY: stack.developmentKey,
    EXAMPLE_PORT: String(shopPort),
  });
  const [key = '', knowledge = '', status = '', agent = '', scenario = '', shop = '', phone = '', list = ''] =
    blocks;
  expect(blocks).toHaveLength(8);
  await terminal.run(key);
  await terminal.run(knowledge);
  await eventually(async () => expect(await terminal.run(status)).toContain('SOURCE_STATUS_READY'));
  await terminal.run(agent);
  expect(await terminal.run(scenario)).toContain('1 passed');

  await terminal.run(shop);
  await eventually(() => expect(terminal.output).toContain('open http://localhost:'));
  await using browser = await openBrowser(new Int16Array(4800));
  const { page, errors } = browser;
  const probe = await probePage(page);
  await page.goto(`http://localhost:${String(shopPort)}`);
  await page.click('calls-widget >> text=Start call');
  const until = (expression: string) =>
    page.waitForFunction(expression, undefined, { timeout: 120_000, polling: 50 });
  await until(`document.querySelector('calls-widget').state.phase === 'talking'`);
  await page.evaluate(`globalThis.session = document.querySelector('calls-widget').session; 0`);
  await until(`probe.loudMs() > 300`);
  for (const [question, response] of [
    ['What is the status of order 17?', 'shipped'],
    ['When is the shop open?', 'nine to six'],
  ]) {
    await page.evaluate(`session.sendText(${JSON.stringify(question)})`);
    await until(
      `session.transcripts.some(({ role, text }) => role === 'agent' && text.includes(${JSON.stringify(response)}))`,
    );
  }
  await eventually(() => expect(terminal.output).toContain('tool: order 17'));
  await page.click('calls-widget >> text=Hang up');
  await until(`probe.stillOpen().length === 0`);
  expect(await probe.opened()).toContain('microphone');
  expect(errors).toEqual([]);

  expect(await terminal.run(phone)).toMatch(/answered[\s\S]*audio received/u);
  await eventually(() => {
    const calls = [...terminal.output.matchAll(/webhook: verified call\.ended of call (\S+) \(hangup\)/gu)];
    expect(new Set(calls.map(([, callId]) => callId)).size).toBe(2);
  });
  expect(terminal.output).not.toContain('wrong signature');
  const listed = (await terminal.run(list)).trim().split('\n');
  expect(listed.filter((line) => line.endsWith(' hangup'))).toHaveLength(2);
});
