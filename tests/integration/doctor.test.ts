import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findFreePorts } from '@calls/local-stack/free-port';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { requireQuick } from '@calls/testkit/long-form';
import { startBreakableProxy } from '../support/browser/breakable-proxy.ts';
import { ControlPlaneHarness, JOIN_TOKEN_SECRETS } from '../support/control-plane-harness.ts';
import { startCoturn } from '../support/coturn.ts';
import { startHttpOnlyProxy } from '../support/http-only-proxy.ts';
import { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { testEnvironment } from '../support/start-stack.ts';

const MAIN = fileURLToPath(new URL('../../packages/doctor/src/main.ts', import.meta.url));
/** An address of this machine on which nothing listens. */
const ELSEWHERE = '127.0.0.9';

const [harness, coturn] = await Promise.all([ControlPlaneHarness.start(), startCoturn('127.0.0.1')]);
const { key } = await harness.account();
afterAll(async () => {
  await harness.stop();
  await coturn[Symbol.asyncDispose]();
});

interface Diagnosis {
  code: number;
  text: string;
  tookMs: number;
}

/** Runs the doctor as an operator does. */
const doctor = (...args: string[]): Promise<Diagnosis> => doctorWith({}, ...args);

async function doctorWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Diagnosis> {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
    env: { ...testEnvironment(), API_KEY: key, DATA_DIR: '/nowhere', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number];
  return { code, text, tookMs: performance.now() - startMs };
}

/** A media-worker and a control-plane that directs clients to it. */
async function startWorker(env: Readonly<Record<string, string>>) {
  const worker = await MediaWorkerProcess.start(harness.nats.url, {
    JOIN_TOKEN_SECRET: JOIN_TOKEN_SECRETS.join(','),
    ...env,
  });
  return {
    url: new URL(worker.url),
    api: await reachedAt(worker.url),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

/** A control-plane that directs clients to that address. */
function reachedAt(mediaPublicUrl: string): Promise<string> {
  return harness.addReplica({}, { mediaPublicUrl });
}

const errorsOf = ({ text }: Diagnosis): string[] => text.match(/^\[ ERROR \].*\n.*/gmu) ?? [];

describe('npm run doctor', () => {
  it('prints its usage', async () => {
    const [wrong, noUrl, unreachable, noKey] = await Promise.all([
      doctor('--port', '80'),
      doctor('--url', 'localhost:8080'),
      doctor('--url', `http://127.0.0.1:${await findFreePorts(1)}`),
      doctor('--url', harness.url, '--key', 'not.a.key'),
    ]);
    expect([wrong, noUrl].map(({ code }) => code)).toEqual([2, 2]);
    expect(wrong.text).toMatch(/--port[^]*usage: npm run doctor/u);
    expect(unreachable).toMatchObject({ code: 1, text: expect.stringContaining('ECONNREFUSED') });
    expect(unreachable.text).toContain('→ is it running, is this its address');
    expect(noKey.code).toBe(1);
    expect(errorsOf(noKey)).toEqual([expect.stringMatching(/call: [^]*→ give an API key of this service/u)]);
  });

  // The stack with a worker comes first because a killed worker stays registered for some seconds.
  it('reports why WebRTC is unavailable and when no media-worker runs', async () => {
    const closed = `ws://127.0.0.1:${await findFreePorts(1)}`;
    const url = await reachedAt(closed);
    const noWorker = await doctor('--url', url);
    expect(errorsOf(noWorker)).toEqual([
      expect.stringMatching(`${closed}: cannot be opened: [^]*→ is a media-worker running`),
    ]);
    await using worker = await startWorker({
      MEDIASOUP_WORKER_BIN: '',
      WEBRTC_UNAVAILABLE: 'it could not be built: no compiler',
    });
    const without = await doctor('--url', worker.api);
    expect(without.code).toBe(1);
    expect(errorsOf(without)).toEqual([
      expect.stringMatching(/call: .*WebRTC.*it could not be built: no compiler[^]*→ .*npm run setup/u),
    ]);
  });

  it('finds no problem in a working system and detects a misconfigured proxy', async () => {
    const turn = `turn:127.0.0.1:${coturn.port}`;
    await using worker = await startWorker({
      TURN_URLS: `stun:127.0.0.1:${coturn.port},${turn},${turn}?transport=tcp`,
      TURN_SECRET: coturn.secret,
    });
    await using proxy = await startHttpOnlyProxy(worker.url);
    const behindProxy = await reachedAt(`ws://127.0.0.1:${proxy.port}`);
    const [well, noUpgrade, noTls] = await Promise.all([
      doctor('--url', worker.api),
      doctor('--url', behindProxy),
      // This machine too, but without a secure context in browsers.
      doctor('--url', worker.api.replace('127.0.0.1', '0.0.0.0')),
    ]);

    expect(well.text).not.toMatch(/ERROR|WARNING/u);
    expect(well.text.match(/^\[ {2}ok {3}\]/gmu)).toHaveLength(9);
    expect(well.text).toContain('No problems: a browser on this machine can make calls.');
    expect(well.text.match(/relays through .* to the media-worker$/gmu)).toHaveLength(2);
    expect(well.code).toBe(0);

    expect(noUpgrade.code).toBe(1);
    expect(errorsOf(noUpgrade)).toEqual([
      expect.stringMatching(
        /responds with \d+ instead of a WebSocket[^]*→ the proxy in front of it must forward WebSocket upgrades/u,
      ),
    ]);

    expect(noTls.code).toBe(1);
    expect(errorsOf(noTls)).toEqual([
      expect.stringMatching(
        /microphone: not available to pages from http:\/\/0\.0\.0\.0:\d+, [^]*→ serve .* over https/u,
      ),
      expect.stringMatching(/names this machine[^]*→ set MEDIA_PUBLIC_URL/u),
    ]);
  });

  it('detects unreachable media addresses, blocked UDP and failing TURN servers', async () => {
    const [port, closed] = [await findFreePorts(1), await findFreePorts(1)];
    await using worker = await startWorker({
      RTC_PORT: String(port),
      RTC_ANNOUNCED_ADDRESS: ELSEWHERE,
      TURN_URLS: `turn:127.0.0.1:${coturn.port},turn:127.0.0.1:${closed}`,
      TURN_SECRET: 'another secret',
    });
    const refused = await doctor('--url', worker.api);
    expect(refused.code).toBe(1);
    expect(errorsOf(refused)).toEqual([
      expect.stringMatching(
        new RegExp(
          `media: not reachable: udp ${ELSEWHERE}:${port}: .*ECONNREFUSED.*tcp ${ELSEWHERE}:${port}: .*ECONNREFUSED[^]*→ open port ${port}, UDP and TCP.*RTC_ANNOUNCED_ADDRESS`,
          'u',
        ),
      ),
      expect.stringMatching(/turn:.*: 401[^]*→ .*TURN_SECRET/u),
      expect.stringMatching(/turn:.*: .*ECONNREFUSED[^]*→ .*its port/u),
    ]);

    await using holes = await startBlackHole(port);
    const silent = await doctor('--url', worker.api);
    expect(errorsOf(silent)[0]).toMatch(/media: not reachable: .*no response within.*no response within/u);
    requireQuick(silent.tookMs, 15_000);
    await holes[Symbol.asyncDispose]();

    await using _tcp = await startBreakableProxy(port, { address: ELSEWHERE, port });
    const tcpOnly = await doctor('--url', worker.api);
    expect(tcpOnly.text).toMatch(/WARNING\] media: only TCP works[^]*→ open UDP port/u);
    expect(errorsOf(tcpOnly).join()).not.toContain('media');
  });
});

/** Accepts UDP and TCP at this port without responding. */
async function startBlackHole(port: number): Promise<AsyncDisposable> {
  const udp = createSocket('udp4').bind(port, ELSEWHERE);
  const tcp = createServer((socket) => socket.on('error', () => undefined).resume()).listen(port, ELSEWHERE);
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
  let closed: Promise<unknown> | null = null;
  const close = async (): Promise<void> => {
    const ends = [udp, tcp].map((each) => once(each, 'close'));
    udp.close();
    tcp.close();
    await Promise.all(ends);
  };
  return { [Symbol.asyncDispose]: async () => void (await (closed ??= close())) };
}

describe('npm run doctor -- engines', () => {
  it('synthesizes, transcribes and generates a sentence with each configured engine and reports failures', async () => {
    await using servers = await startAiStandIn();
    const spoken = 'hello I would like to book a table for four people on Friday evening';
    await servers.control({ stt: { replies: [spoken] }, llm: { replies: ['I am ready.'] } });
    const { baseUrl } = servers;
    const closed = `http://127.0.0.1:${await findFreePorts(1)}/v1`;
    const { code, text } = await doctorWith(
      {
        TTS_BASE_URL: baseUrl,
        STT_BASE_URL: baseUrl,
        LLM_BASE_URL: closed,
        LLM_MODEL: 'away',
        LLM_FALLBACK_BASE_URL: baseUrl,
        LLM_FALLBACK_MODEL: 'here',
      },
      'engines',
    );
    expect(text).toMatch(
      /\] TTS, openai-compatible: voice alloy: first audio after \d+ ms, [\d.]+ s of speech/u,
    );
    expect(text).toMatch(/\] TTS, flite: voice English/u);
    expect(text).toMatch(/\] TTS, espeak-ng: voice English/u);
    expect(text).toMatch(
      new RegExp(`\\] STT, ${baseUrl}: 0 % word errors, transcript after \\d+ ms: "hello I`, 'u'),
    );
    expect(text).toMatch(new RegExp(`\\[ ERROR \\] LLM, away at ${closed}: [^]*→ check its variables`, 'u'));
    expect(text).toMatch(/\] LLM, here at \S+: first token after \d+ ms, all after \d+ ms: "I am ready\."/u);
    expect(text).toMatch(/Problems: 1\.\n$/u);
    expect(code).toBe(1);
  });

  it('reports invalid variables and arguments with its usage', async () => {
    const [variable, argument] = await Promise.all([
      doctorWith({ STT_TIMEOUT_MS: 'soon' }, 'engines'),
      doctor('engines', 'stt'),
    ]);
    expect([variable.code, argument.code]).toEqual([2, 2]);
    expect(variable.text).toMatch(
      /STT_TIMEOUT_MS must be a whole number[^]*usage: npm run doctor -- engines/u,
    );
    expect(argument.text).toContain('usage: npm run doctor -- engines');
  });
});
